"""Typed settings: everything a person writes under `config/`, a module for each kind of file.

Unknown keys are refused.  A field's description is the text of the JSON schema and of
`docs/reference/configuration/`.
"""
