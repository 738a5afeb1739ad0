"""The rules of the workflow: for each its settings, its script, and the module of its kind.

A rule is named `<stage>_<script>` and runs `workflow/scripts/<stage>/<script>.py`, unless stated otherwise
here.  Its settings are only what it uses itself and what can change its result: they become one of the two
params of the rule.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from contrapose.corpus.jobs import CorpusDraws, PublishedLines, PunktTraining
from contrapose.errors import ConfigError, unknown
from contrapose.evaluate.jobs import (
    EvaluationJob,
    FineTunedJob,
    GeometryJob,
    LengthBiasJob,
    MtebJob,
    SimilaritiesJob,
    TransferJob,
)
from contrapose.fingerprint import canonical, code_digest, digest
from contrapose.generate.endpoint import serving_module
from contrapose.generate.jobs import CostJob, DinoJob, EstimateJob, QueriesJob, ReplacementJob
from contrapose.home import source_of
from contrapose.ids import named
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project import data, models
from contrapose.project.pages import claims_job, score_table_job
from contrapose.project.runs import SEED
from contrapose.refs import resolved
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.score import jobs as score
from contrapose.settings.corpora import Segments, Substitution
from contrapose.settings.recipes import Recipe
from contrapose.settings.spec import Precision, Spec
from contrapose.settings.worlds import MiniWorld, TranslatedPairs
from contrapose.tasks import FINE_TUNED_SUITES, PRODUCT_RETRIEVAL, TASKS
from contrapose.train.jobs import EncoderJob, LanguageModelJob, TrainingJob

if TYPE_CHECKING:
    from contrapose.project import Project

F = TypeVar("F", bound=Callable[..., object])
S = TypeVar("S", bound=Spec)


class Step(NamedTuple):
    """A rule of the workflow."""

    settings: Callable[..., object]  # function of the project and the wildcards: settings, or JSON
    script: str  # below workflow/scripts
    module: str = ""  # module of its kind, which the script imports by name
    asks: bool = False  # whether it asks a language model


STEPS: dict[str, Step] = {}


def step(*rules: str, script: str = "", asks: bool = False) -> Callable[[F], F]:
    """Register a function as the settings of rules."""

    def register(function: F) -> F:
        for rule in rules:
            STEPS[rule] = Step(function, script or f"{rule.replace('_', '/', 1)}.py", asks=asks)
        return function

    return register


def settings(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the canonical settings of a job.

    `<` is written as a JSON escape: Snakemake's report holds the params of jobs inside a script element,
    which a text with `</script>` would end.
    """
    shard, shards = (int(wildcards.get(name, default)) for name, default in (("shard", "0"), ("shards", "1")))
    if shard >= shards:
        raise ConfigError(f"'{shard}-of-{shards}' is not a shard: shards count from 0 to {shards - 1}.")
    return canonical(_step(rule).settings(project, **wildcards)).replace("<", r"\u003c")


def code(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the digest of a job's script and of all code of ours that it reaches."""
    found = _step(rule)
    modules = [found.module] if found.module else []
    if found.asks:
        modules += filter(None, [serving_module(project.llm(asked_llm(project, wildcards)).endpoint)])
    script = project.home / "workflow" / "scripts" / found.script
    return code_digest(script, source_of(project.home), tuple(modules))


def asked_llm(project: "Project", wildcards: Mapping[str, str]) -> str:
    """Return the role of the language model that a job asks."""
    if "translator" in wildcards:
        return project.entry("back_translators", wildcards["translator"]).llm
    return wildcards["llm"] if "llm" in wildcards else project.entry("synthetic", wildcards["texts"]).llm


def fingerprint(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return one digest of a job's settings and code, to name files that belong to exactly this job."""
    return digest(settings(project, rule, wildcards), code(project, rule, wildcards))


def _step(rule: str) -> Step:
    return named(STEPS, rule, "rules of the workflow")


def _without_note(source: S) -> S:
    """Return a source without its note, which changes no result."""
    return source.model_copy(update={"note": ""})


def _seed(text: str) -> int:
    """Read the seed in the name of a run, which has only one valid spelling."""
    if text != str(int(text)):
        raise ConfigError(f"seed '{text}' is not in its shortest form. Write '{int(text)}'.")
    return int(text)


@step("mini_world", script="mini/world.py")
def _mini_world(project: "Project") -> MiniWorld:
    mini, scale = project.world.mini, project.world.scale
    assert mini is not None  # otherwise the rule does not exist
    sizes = {name: max(1, round(getattr(mini, name) * scale)) for name in ("articles", "pairs")}
    return mini.model_copy(update=sizes)


@step("mini_encoder", "mini_language_model")
def _mini_model(project: "Project", name: str) -> dict:
    """Return which model is made; its settings are beside the code that makes it."""
    names = ("sentences", "questions") if name == "gpt2" else ()  # its training texts, in order
    instructions = [(each, project.files.instructions(each).model_dump(mode="json")) for each in names]
    return {"name": name, "instructions": instructions}


@step("retrieve_benchmarks", "retrieve_naive")
def _benchmarks(project: "Project", suite: Any = "english") -> dict:
    sources = data.benchmark_sources(project, suite)
    return {name: source.model_dump() for name, source in sorted(sources.items())}


@step("retrieve_translated", "corpus_untranslated")
def _translated(project: "Project") -> TranslatedPairs:
    translator = data.translator(project)
    pairs = {name: getattr(translator, name) for name in TranslatedPairs.model_fields}
    return resolved(TranslatedPairs(**pairs), project)


@step("corpus_draw", "corpus_sample")
def _drawn(project: "Project", corpus: str, **shard: str) -> CorpusDraws:
    spec = resolved(project.entry("corpora", corpus), project)
    return CorpusDraws(**dict(spec), draws=spec.size * project.world.draws_per_sentence)


@step("corpus_segments")
def _segments(project: "Project", corpus: str, **shard: str) -> Segments:
    spec = resolved(project.corpus(corpus), project)
    return Segments(**{name: getattr(spec, name) for name in Segments.model_fields})


@step("corpus_published")
def _published(project: "Project", corpus: str) -> PublishedLines:
    spec = resolved(project.corpus(corpus), project)
    source = project.entry("sentence_files", spec.file)
    return PublishedLines(**dict(spec), source=_without_note(source), language=source.language)


@step("generate_merge", asks=True)
def _merge(project: "Project", corpus: str, llm: str, prompt: str) -> ReplacementJob:
    replaced = project.asking.pool(corpus, prompt)
    return ReplacementJob(
        **dict(project.asking.paraphrases(llm, prompt)),
        corpus=resolved(project.corpus(corpus), project) if replaced else None,
        replacements=project.llm(llm).replacements,
    )


@step("generate_translate", asks=True)
def _translations(project: "Project", llm: str, **shard: str) -> Spec:
    translator = project.world.translator
    if getattr(translator, "llm", None) != llm:
        raise ConfigError(
            f"llms.{llm} is not the translator of the world '{project.world_name}'. Name it: "
            f"translator: {{kind: llm, llm: {llm}}}."
        )
    return project.asking.translations()


@step("generate_dino")
def _dino(project: "Project", texts: str, **shard: str) -> DinoJob:
    spec = project.entry("synthetic", texts)
    instructions, model = project.files.instructions(spec.instructions), project.language_model(spec.lm)
    return DinoJob(texts=spec, instructions=instructions, hub=model.hub, precision=project.config.precision)


@step("generate_rewrites")
def _rewrites(project: "Project", rewrites: str, **shard: str) -> Substitution:
    """Return how sentences are rewritten; sentences and dictionary are input files."""
    spec = project.entry("rewrites", rewrites)
    return Substitution(**{name: getattr(spec, name) for name in Substitution.model_fields})


@step("generate_estimate")
def _estimate(project: "Project") -> EstimateJob:
    return EstimateJob(questions=project.asking.all_questions(), codes=_cost(project).codes)


@step("generate_cost")
def _cost(project: "Project") -> CostJob:
    """Return the models whose answers are counted; prices are in the journals."""
    llms, rules = project.asking.llm_roles, [rule for rule, each in STEPS.items() if each.asks]
    codes = sorted({code(project, rule, {"llm": llm}) for rule in rules for llm in llms})
    return CostJob(models={llm: project.llm(llm).model for llm in llms}, codes=codes)


@step("score_parascores")
def _parascores(project: "Project", scorer: str, **paraphrases: str) -> EncoderJob:
    """Return the encoder for BERTScore, which compares tokens and so has no pooling."""
    return EncoderJob(encoder=project.encoder(scorer).hub, precision=project.config.precision)


@step("score_identification")
def _identification(project: "Project", pairs: str, identifier: str) -> score.IdentificationJob:
    spec = project.identifier(identifier)
    sets = [project.pairs(each) for each in project.with_dev(pairs)]
    human = [_human_texts(project, each) for each in sets]
    hub, precision = project.encoder(spec.encoder).hub, project.config.precision
    return score.IdentificationJob(identifier=spec, human=human, encoder=hub, precision=precision)


def _human_texts(project: "Project", pairs: Any) -> score.HumanTexts:
    """Return the texts that count as human: those of the sets that a corpus is made of, or the corpus."""
    corpus = project.corpus(project.entry("synthetic", pairs.texts).corpus)
    sets = {"tasks": corpus.tasks, "split": corpus.split} if corpus.kind == "tasks" else {}
    return score.HumanTexts(**sets)


@step("score_rewrite_statistics")
def _rewrite_statistics(project: "Project", rewrites: str, threshold: str) -> score.RewriteStatisticsJob:
    spec, number = project.entry("rewrites", rewrites), float(threshold)
    if threshold != f"{number:g}":
        raise ConfigError(f"threshold '{threshold}' is not in its shortest form. Write '{number:g}'.")
    return score.RewriteStatisticsJob(threshold=number, at_most=spec.at_most, language=spec.language)


@step("train_encoder", "train_flow", "train_contrastive_tension")
def _training(project: "Project", pairs: str, recipe: str, seed: str) -> TrainingJob:
    spec, teacher, precision = project.recipe(recipe), None, project.config.precision
    if role := getattr(spec, "teacher", None):
        teacher = _encoder_job(project, role)
    model = project.encoder(spec.encoder)
    return TrainingJob(
        recipe=spec, seed=_seed(seed), encoder=model.hub, prompts=model.prompts, precision=precision,
        teacher=teacher,
    )  # fmt: skip


@step("score_similarities", "score_relevance")
def _encoder_job(project: "Project", scorer: str, **texts: str) -> EncoderJob:
    model, precision = project.encoder(scorer), project.config.precision
    return EncoderJob(pooling=model.pooling, prompts=model.prompts, encoder=model.hub, precision=precision)


@step("train_whitening")
def _whitening(project: "Project", pairs: str, recipe: str, seed: str) -> TrainingJob:
    """Return the recipe with a fixed seed: whitening gives the same encoder with every seed."""
    return _training(project, pairs, recipe, seed).model_copy(update={"seed": 0})


@step("train_language_model")
def _language_model(project: "Project", role: str) -> LanguageModelJob:
    source = models.source_of_kind(project, "language_models", role, "pretrained")
    instructions = [project.files.instructions(name) for name in source.instructions]
    return LanguageModelJob(language_model=_without_note(source), instructions=instructions)


def _float32_if_auto(project: "Project") -> Precision:
    return "float32" if project.config.precision == "auto" else project.config.precision


def _scored(project: "Project", run: str, *further: str) -> dict[str, Any]:
    """Return the settings that all evaluations have about an encoder, and some of the config."""
    found = project.runs.scored(run)
    told = {"run": found.id, "pooling": found.pooling, "prompts": found.prompts, "encoder": found.hub}
    return {**told, **{name: getattr(project.config, name) for name in ("precision", *further)}}


@step("evaluate_length_bias")
def _length_bias(project: "Project", probe: str, run: str) -> LengthBiasJob:
    pairs = project.entry("probes", probe)
    return LengthBiasJob(**_scored(project, run, "bootstrap"), probe=probe, pairs=pairs)


@step("evaluate_similarities")
def _texts_compared(project: "Project", table: str, run: str) -> SimilaritiesJob:
    spec = project.reports.of_kind(table, "similarities")
    texts = [(text.label, text.text) for text in spec.texts]
    return SimilaritiesJob(**_scored(project, run), sentence=spec.sentence, texts=texts)


@step("evaluate_fine_tuned")
def _fine_tuned(project: "Project", fine_tuning: str, task: Any, run: str) -> FineTunedJob:
    """Return how the encoder of a run is fine-tuned on a task; the seed is the run's."""
    if task not in TASKS or TASKS[task].suite not in FINE_TUNED_SUITES:
        known = [name for name, about in TASKS.items() if about.suite in FINE_TUNED_SUITES]
        raise unknown("tasks that encoders are fine-tuned on", task, known)
    spec = resolved(project.fine_tuning(fine_tuning), project)
    recipe = {name: value for name, value in dict(spec).items() if name in Recipe.model_fields}
    if task in PRODUCT_RETRIEVAL:
        recipe["max_length"] = spec.long_max_length
    found = SEED.search(run)
    assert found is not None  # the rule accepts no other run
    return FineTunedJob(
        **_scored(project, run, "bootstrap"),
        task=task,
        recipe=Recipe(**recipe),
        bert_pooler=spec.bert_pooler,
        train_pairs=spec.train_pairs,
        seed=_seed(found[0].removeprefix("seed")),
    )


def _pairs(project: "Project", pairs: str) -> dict:
    return {"spec": resolved(project.pairs(pairs), project).model_dump(mode="json")}


@step("corpus_segmented", "corpus_tasks")
def _corpus(project: "Project", corpus: str) -> Spec:
    return resolved(project.corpus(corpus), project)


def _model_of_kind(kind: str) -> Callable[..., Spec]:
    """Return the settings function of a rule that makes an encoder of one kind."""
    return lambda project, role: _without_note(models.source_of_kind(project, "encoders", role, kind))


# Rules whose settings are defined elsewhere.
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "retrieve_archive": lambda project: project.world.archive,
    "retrieve_articles": data.articles,
    "retrieve_triples": lambda project, source: _without_note(project.entry("triple_files", source)),
    "retrieve_recorded": data.recorded_source,
    "retrieve_dictionary": lambda project, dictionary: _without_note(
        data.dictionary_source(project, dictionary)
    ),
    "retrieve_transfer": lambda project: {
        task: source.model_dump() for task, source in project.world.transfer.items()
    },
    "corpus_punkt": lambda project: PunktTraining(punkt_articles=project.world.punkt_articles),
    "score_paraphrases": lambda project, scorer, corpus=None, pairs=None, **asked: score.TextsJob(
        language=project.language(project.corpus(corpus) if corpus else project.pairs(pairs))
    ),
    "score_linguistics": lambda project, pairs, identifier: score.LinguisticsJob(
        **dict(_human_texts(project, project.pairs(pairs))), language=project.language(project.pairs(pairs))
    ),
    # In float32 if it is not set, so that negatives do not depend on the machine.
    "score_neighbours": lambda project, scorer, nearest, **pairs: score.NeighboursJob(
        **{**dict(_encoder_job(project, scorer)), "precision": _float32_if_auto(project)}, nearest=nearest
    ),
    "generate_queries": lambda project, corpus, writer, queries: QueriesJob(
        queries=int(queries), hub=project.language_model(writer).hub
    ),
    "score_rewrites": lambda project, rewrites, **shard: score.PerplexityJob(
        hub=project.language_model(project.entry("rewrites", rewrites).lm).hub,
        precision=project.config.precision,
    ),
    "train_glove": _model_of_kind("glove"),
    "train_pretrained": _model_of_kind("pretrained"),
    "evaluate_run": lambda project, suite, run: EvaluationJob(**_scored(project, run, "bootstrap")),
    "evaluate_mteb": lambda project, tasks, run: MtebJob(
        **_scored(project, run, "bootstrap"), tasks=data.mteb_tasks(project, tasks)
    ),
    "evaluate_geometry": lambda project, run: GeometryJob(**_scored(project, run)),
    "evaluate_transfer": lambda project, run: TransferJob(**_scored(project, run, "bootstrap", "folds")),
    "report_score_table": score_table_job,
    "report_claims": claims_job,
}
step("retrieve_collection", script="retrieve/articles.py")(data.collection_source)
for _model in ("encoder", "language_model"):
    step(f"retrieve_rinna_{_model}", script="retrieve/rinna.py")(
        partial(models.rinna_source, section=f"{_model}s")
    )
# Their input files determine the result.
step("generate_seq2seq", "generate_backtranslation", "generate_synthetic")(lambda project, **names: {})
step("generate_paraphrase", asks=True)(
    lambda project, corpus, llm, prompt, **shard: project.asking.paraphrases(llm, prompt)
)
step("generate_asked", asks=True)(lambda project, texts: project.asking.texts(texts))
step("generate_asked_backtranslation", asks=True)(
    lambda project, corpus, translator: project.asking.backtranslations(translator)
)
for _rule, _function in _FUNCTIONS.items():
    step(_rule)(_function)
for _kind, _module in STRATEGIES.items():
    STEPS[f"pairs_{_kind}"] = Step(_pairs, "pairs/pairs.py", _module.__name__)
for _kind, _module in TABLES.items():
    job = Step(lambda project, table: project.reports.job(table), "report/table.py", _module.__name__)
    STEPS[f"report_{_kind}_table"] = job
for _kind, _module in FIGURES.items():
    job = Step(lambda project, figure: project.reports.job(figure), "report/figure.py", _module.__name__)
    STEPS[f"report_{_kind}"] = job
