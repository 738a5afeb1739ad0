"""Parts of a model card: the hub's front matter, and how the encoder is loaded."""

import pandas as pd
from huggingface_hub import EvalResult, ModelCardData

from contrapose.forecast.dag import Job
from contrapose.publish.chain import Chain
from contrapose.publish.numbers import Numbers
from contrapose.publish.sources import licence_of_encoder, sources
from contrapose.tasks import TASKS
from contrapose.train.folders import OwnPooling
from contrapose.train.glow import Glow

LIBRARY = "sentence-transformers"
TASK = "sentence-similarity"
TAGS = [LIBRARY, TASK, "feature-extraction", "contrastive-learning", "contrapose"]
LANGUAGES = {"chinese": "zh", "pair_tasks_japanese": "ja"}  # of a suite; ISO 639-1
ENGLISH = "en"
TRAINING_TEXT = ("articles", "sentences", "triples")  # kinds of sources that the hub may have as data sets
# How vectors of tokens become that of the sentence, for those who load the transformer alone.
POOLINGS = {
    "cls": "hidden[-1][:, 0]",
    "cls_before_pooler": "hidden[-1][:, 0]",
    "avg": "mean(hidden[-1])",
    "avg_top2": "mean((hidden[-1] + hidden[-2]) / 2)",
    "avg_first_last": "mean((hidden[1] + hidden[-1]) / 2)",
}
FLOW_NOTE = (
    "Its last module is a flow, which sentence-transformers does not have. Install `contrapose` too and, "
    "since version 6 of sentence-transformers, pass `trust_remote_code=True`: code of that package "
    "then runs. The folder itself holds no code."
)
TRANSFORMERS = """```python
from transformers import AutoModel, AutoTokenizer

tokenizer, encoder = AutoTokenizer.from_pretrained("FOLDER"), AutoModel.from_pretrained("FOLDER")
batch = tokenizer(["A sentence."], padding=True, truncation=True, return_tensors="pt")
hidden = encoder(**batch, output_hidden_states=True).hidden_states
mask = batch["attention_mask"].unsqueeze(-1)
mean = lambda layer: (layer * mask).sum(1) / mask.sum(1)
vectors = {pooling}
```"""


def front_matter(chain: Chain, job: Job, name: str, numbers: Numbers) -> str:
    """Return the YAML at the head of a model card, in the form of the Hugging Face hub.

    Parameters
    ----------
    chain : Chain
    job : the run's training
    name : of the model
    numbers : Numbers
        The scores become the `model-index`, with n and the 95 % interval among a metric's arguments.
    """
    role = chain.plan.recipe(job.wildcards["recipe"]).encoder
    read = sources(chain.plan, chain.behind(job))
    data_sets = sorted({each.where for each in read if each.revision and each.kind in TRAINING_TEXT})
    data = ModelCardData(
        language=_languages(numbers.scores),
        license=licence_of_encoder(chain.plan, role).licence,
        library_name=LIBRARY,
        pipeline_tag=TASK,
        tags=TAGS,
        base_model=chain.plan.encoder(role).hub,
        datasets=data_sets or None,
        model_name=name,
        eval_results=[_result(row) for row in numbers.scores.to_dict("records")] or None,
    )
    return f"---\n{data.to_yaml()}\n---"


def _languages(scores: pd.DataFrame) -> list[str]:
    """Return the languages of the sets that the encoder was scored on."""
    suites = {TASKS[task].suite for task in scores.task if task in TASKS}
    return sorted({LANGUAGES.get(suite, ENGLISH) for suite in suites} or {ENGLISH})


def _result(score: dict) -> EvalResult:
    return EvalResult(
        task_type=TASK,
        dataset_type=score["task"],
        dataset_name=f"{score['task']} {score['form']}",
        dataset_split=score["split"],
        metric_type=score["metric"],
        metric_value=float(score["value"]),
        metric_args={"low": float(score["low"]), "high": float(score["high"]), "n": int(score["n"])},
    )


def loading_parts(pooling: OwnPooling) -> list[str]:
    """Say how an encoder is loaded, as parts of a Markdown text.

    Parameters
    ----------
    pooling : OwnPooling
        What the folder says of itself.
    """
    flow = any(isinstance(module, Glow) for module in pooling.head)
    trust = ", trust_remote_code=True" if flow else ""
    rest = " The modules behind the pooling (modules.json) are left out there." if pooling.head else ""
    return [
        "`FOLDER` is this folder, or `ORG/NAME` of a hub that has it.",
        FLOW_NOTE if flow else "",
        "```python\nfrom sentence_transformers import SentenceTransformer\n\n"
        f'model = SentenceTransformer("FOLDER"{trust})\n'
        'vectors = model.encode(["A sentence.", "Another one."])\n```',
        "With mteb, whose `mteb.get_model` takes names of a hub alone:",
        "```python\nimport mteb\n\n"
        'results = mteb.evaluate(model, mteb.get_tasks(tasks=["STSBenchmark"]))\n```',
        "With Contrapose, on its own evaluation sets:",
        "    snakemake --cores all --config encoder=FOLDER -- results/tables/score.csv",
        f"With transformers alone, pooling by hand.{rest}",
        TRANSFORMERS.format(pooling=POOLINGS[pooling.pooler]),
    ]
