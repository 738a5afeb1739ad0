"""Sentences of pages, as templates of Jinja: each is a Markdown list of notes, of which conditions drop some.

They stand in Python, not in `templates/`, because the digest of a job's code covers Python alone: a changed
sentence has to make its pages again.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

# Of a table of scores; `score_notes` says what the names are.
SCORE_NOTES = """
{% if seeds|length == 1 %}
- The plot shows 95 % intervals over {{ table.items }}.
{% endif %}
{% if has_labels and not table.transfer %}
- Accuracy and F1 each use a threshold that is selected on dev pairs; F1 is of label 1.
{% endif %}
{% if table.has_average %}
- {{ average }}: mean of {{ table.names|join(", ") if table.general else "the columns" }}
  {%- if not table.fine_tuned %} after rounding each to two decimals, as SimCSE's code does{% endif %}.
{% endif %}
{% if table.best_of_seeds %}
- {{ average }}{{ best_seed }}: the highest of {{ seeds|length }} seeds, which is too high, because it is
  selected on the test sets; {{ average }}{{ best_on_dev }}: the number of the seed that is best on the
  {{ table.dev_column }}.
{% endif %}
{% if table.has_average and average != table.mean_column(table.names|length) %}
- {{ average }} is over the available columns only: do not compare it with one over all columns.
{% endif %}
{% for name, path in missing.items() %}
- {{ name }} is skipped: {{ path }} is missing.
{% endfor %}
{% if table.baseline and not compares %}
- No method is compared with {{ table.baseline|map(attribute="row")|join(" or ") }}, because it has no numbers
  or no other method has any.
{% endif %}
{% for of_baseline in on_sets %}
- Significantly better than {{ of_baseline.baseline }} on at least this many of {{ table.names|length }} sets:
  {{ of_baseline.above|join(", ") or "no method" }}.
- Significantly worse than {{ of_baseline.baseline }} on at least this many of {{ table.names|length }} sets:
  {{ of_baseline.below|join(", ") or "no method" }}.
{% if of_baseline.mixed %}
- Better on some sets and worse on others: {{ of_baseline.mixed|join(", ") }}.
{% endif %}
{% endfor %}
{% if power %}
- {{ power.column }}: the smallest detectable difference to {{ power.baseline or "the baseline" }} is
  {{ power.mde }} (80 % power, median over methods). Halving it takes
  {{ power.ways|join(" or ") or "more test " ~ table.items ~ " and more seeds together" }}.
  {%- if power.of_both %} It would take four times if all of the uncertainty came from the
  {{ power.of_both[0] }}, but a part comes from the {{ power.of_both[1] }} and stays.{% endif %}

{% endif %}
{% for size in sizes %}
- {{ size }}
{% endfor %}
{% if shared %}
- Pairs that share a sentence are not independent, so tests count fewer pairs: {{ shared|join(", ") }}.
{% endif %}
{% if selected|length > 1 and selected == original %}
- With the settings that are selected on dev pairs, the order of the methods is the same.
{% elif selected|length > 1 %}
- With the settings that are selected on dev pairs, the order of the methods is {{ selected|join(", ") }};
  with those of the study, it is {{ original|join(", ") }}.
{% endif %}
"""

# Of the columns of any table that hold training budgets or costs.
COLUMN_NOTES = """
{% if "training_pairs" in budgets %}
- training_pairs: the pairs of the pair set; steps: the optimiser steps; fraction_seen: the fraction of these
  pairs that was in a batch (an epoch takes one of several paraphrases of a sentence).
{% endif %}
{% if has_compute %}
- {{ compute }}: operations of models (2 x parameters x tokens; three times that in training), for one
  training and for what models that Contrapose runs generated or scored for its pairs. Language models behind
  a server are not part of it.
{% endif %}
{% if amounts %}
- {{ amounts|join(", ") }}: for one training (seconds: the smallest over seeds) and for the texts that models
  generated for its pairs. Texts that methods share count in full for each, and so do unused answers of
  language models. {{ unknown }}: not known.
{% endif %}
"""


def notes_from(template: str, **facts: object) -> list[str]:
    """Fill a template and return its notes; raises jinja2.UndefinedError if it asks for what is not there."""
    text = _environment().from_string(template).render(**facts)
    notes = text.strip().removeprefix("- ").split("\n- ")
    return [note.strip().replace("\n  ", " ") for note in notes if note]


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, StrictUndefined  # a plan needs neither

    return Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
