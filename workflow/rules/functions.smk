# Functions of wildcards for the rules of single stages.


def used_by(rule):
    """What gives the entry of the catalog that a job of a rule uses, from its wildcards."""
    return input_from(lambda project, **wildcards: RULES.of(rule).used(project, wildcards))


def model_of(rule):
    """What gives the encoder or language model that a job of a rule uses."""

    def model(project, **wildcards):
        need = used_by(rule)(wildcards)
        return project.source(*need).located(project, need.name)

    return input_from(model)


def files_of_model(rule):
    """Files of the model that a job of a rule uses."""
    return lambda wildcards: model_of(rule)(wildcards).files


def place_of(model):
    """Folder or file of a model; empty for a model of the hub."""
    return PATHVARS.apply(model.place)


def place_of_model(rule):
    """Folder or file of the model that a job of a rule uses."""
    return lambda wildcards: place_of(model_of(rule)(wildcards))


def running_of(rule, model):
    """Resources of a job that runs the encoder or language model that its rule uses, under its name."""
    return {**resources_of(rule), "device": project.config.device, model: place_of_model(rule)}


def recorded_of(rule):
    """File of the recorded answers of the language model that a job of a rule uses; none if it is asked."""

    def file(project, **wildcards):
        role = used_by(rule)(wildcards).name
        return project.llm(role).recorded(project, role)

    return input_from(file)


def asking_of(rule):
    """Resources of a job that queries a language model, with its journal and how to reach the model."""
    llm = used_by(rule)
    return {
        **resources_of(rule),
        "journal": lambda wildcards: journal(llm(wildcards).name),
        "connection": lambda wildcards: canonical(project.llm_requests.connection(llm(wildcards).name)),
    }


def encoding_of(rule):
    """Resources of a job that runs the encoder of a run, with the encoder's folder if no job makes it."""
    return {
        **resources_of(rule),
        "device": project.config.device,
        "folder": lambda wildcards: PATHVARS.apply(project.runs.scored(wildcards.run).folder),
        "form": lambda wildcards: project.runs.scored(wildcards.run).form,
    }


def collection_of(corpus):
    """File of the articles that a segmented corpus is drawn from."""
    return f"<results>/retrieve/collections/{project.corpus(corpus).collection}.parquet"


def with_dev(pairs):
    """A pair set, then its dev pairs if it has some."""
    return project.pairs(pairs).with_dev(project, pairs)


def human_texts(pairs):
    """File of the texts that stand for human ones: evaluation sets, or the corpus if it is not made of them."""
    corpus = project.entry("synthetic", project.pairs(pairs).texts).corpus
    tasks = project.corpus(corpus).sets(project)
    return benchmarks_of_task(tasks[0]) if tasks else project.paths.corpus(corpus)


def files_of_rewrites(rewrites):
    """Files of the sentences that are rewritten, their rewrites, and the perplexities of these."""
    paths = project.paths
    return {
        "sentences": paths.corpus(project.entry("rewrites", rewrites).corpus),
        "rewrites": paths.rewrites("generate", rewrites),
        "perplexities": paths.rewrites("score", rewrites),
    }


def frozen_of(recipe):
    """The encoders that a training by a recipe reads and does not change: its teachers, then its guide."""
    return [project.encoder(role) for role in project.recipe(recipe).frozen_encoders]


def files_of_frozen(recipe):
    """Their files, of which an encoder has one or several."""
    found = (each.files for each in frozen_of(recipe))
    return [file for files in found for file in ([files] if isinstance(files, str) else files)]


def corpus_of(section):
    """File that a model of a section is trained on: a corpus, or labelled pairs."""

    def file(project, role):
        corpus = getattr(project.entry(section, role), "corpus", None)
        return project.paths.corpus(corpus) if corpus else project.paths.benchmarks("paraphrase")

    return input_from(file)


def continued_encoder(role):
    """The encoder whose training a role continues."""
    return project.encoder(project.entry("encoders", role).of)


def of_mini_world(section):
    """Folders of the models that the mini world makes; of encoders, of the roles with a folder of their name."""
    entries = project.catalog.entries(section).items() if project.catalog.mini else ()
    names = {role: path.name for role, source in entries if source and (path := source.disk_path(project))}
    return sorted(name for role, name in names.items() if section != "encoders" or name == role)


def rinna(section, role):
    """The model of rinna that plays a role."""
    return project.source(section, role, "rinna")


def back_translator(name):
    """The models on this machine that translate there and back."""
    return project.source("back_translators", name)


def folder_of_way(way):
    """Folder of the model that translates one of both ways."""
    return input_from(
        lambda project, translator, **others: back_translator(translator).folder(project, translator, way)
    )


def benchmarks_of_task(task):
    """File of the evaluation sets that a task is one of."""
    return project.paths.benchmarks(TASKS[task].suite)


def costs_of_rows(wildcards):
    """Where a table finds the costs of its rows, if it shows them."""
    return PATHVARS.apply(canonical(costs.table_costs(project, wildcards.table)))


def shown_inputs(project, **name):
    """Files behind a table or figure."""
    (name,) = name.values()
    return reports.inputs(project, name)


sentences_of_texts = input_from(
    lambda project, texts, **shard: project.paths.corpus(project.entry("synthetic", texts).corpus)
)


def log_beside(outputs):
    """The log of a rule, named as its first output is."""
    return next(iter(outputs.values())).replace("<results>", "<logs>").replace(".parquet", ".log")


def data_folder(wildcards, input):
    """Where the files of the catalog are: its data folder, or the one that it makes; empty if it has none."""
    return str(project.data or next(iter(input.get("files", [])), ""))


def shown_of_kind(kind, entries):
    """Match the names of the tables or figures of one kind."""
    return "|".join(name for name, (_, spec) in entries.items() if spec.kind == kind) or "none"
