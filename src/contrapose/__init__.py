"""Contrapose: which positive pairs are worth training a sentence encoder on.

On the command line: `contrapose` lists its commands.  `contrapose new FOLDER` and `contrapose run` compare
sources of pairs on your own sentences.

In Python: `contrapose.api` has `build` (pairs of sentences), `train`, `encode`, `score`, and `read` for any
table of the workflow.  See `help(contrapose.api)`.

Inside: a stage of the workflow is a subpackage (corpus, generate, score, pairs, train, evaluate, report); the
rest finds settings and files for them.
"""
