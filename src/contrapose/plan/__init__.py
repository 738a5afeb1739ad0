"""What every rule of the workflow reads and is set to: a module for each stage, several for the report.

A rule is named `<stage>_<script>`; its settings are the method of that name here, its script is
`workflow/scripts/<stage>/<script>.py`.  The rules, `make verify` and the tests all ask this one place.
"""

from contrapose.plan.pages import PagesPlan


class Plan(PagesPlan):
    """A project as the rules of the workflow see it.

    Methods named like a rule return its settings from its wildcards; methods named `*_inputs` return files.
    Each stage's class knows those before it.
    """
