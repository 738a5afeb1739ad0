"""Where a world's texts come from: articles, sentences, triples and dictionaries."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, Tag, model_validator

from contrapose.settings.spec import Commit, Language, PathText, Spec, Split, by_kind

BLANK_LINES = "blank_lines"  # these end documents in a text file
LANGUAGE: Language = Field(
    "english", exclude=True, description="Decides how text is split into words, where words are counted"
)


class ArticleFiles(Spec):
    """Article text in files."""

    kind: Literal["files"] = "files"
    path: PathText = Field(description="Files, `*` allowed, below the data folder")
    format: Literal["parquet", "jsonl", "wikiextractor"]
    text: str = Field("text", description="Column or key of the text")
    id: str | None = Field("id", description="Column or key of the id; null numbers the articles")
    title: str | None = Field("title", description="Column or key of the title; null if there is none")


class HubTable(Spec):
    """A data set of the Hugging Face hub, pinned."""

    kind: Literal["hub"] = "hub"
    dataset: str
    revision: Commit = Field(description="Commit, so that the data cannot change underneath")
    name: str | None = Field(None, description="Configuration of the data set")
    split: str = "train"
    text: str = Field("text", description="Column of the text")
    id: str | None = Field("id", description="Column of the id; null numbers the articles")
    title: str | None = Field("title", description="Column of the title; null if there is none")
    rows: int | None = Field(
        None, ge=1, exclude=True, description="Number of articles, used by `contrapose plan` only"
    )


class DictionaryFiles(Spec):
    """A paraphrase dictionary in its distribution files, gzipped or plain, or one of your own."""

    kind: Literal["ppdb", "ehimerppdb", "word_pairs", "csv"] = Field(
        description="ppdb: PPDB 2.0 or 1.0; ehimerppdb: version 1.0 or 2.0; word_pairs: two words a line; "
        "csv: your own, in UTF-8 with the header phrase,target,probability"
    )
    files: list[PathText] = Field(
        min_length=1,
        description="Files, `*` allowed, below the data folder; ./FILE: below the project. While one is "
        "missing, rows that need the dictionary have no numbers",
    )
    probability: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Probability of every rule in a file without probabilities: kind word_pairs, or csv with "
        "the header phrase,target",
    )
    language: Language | None = Field(
        None, description="For kind csv: decides how phrases are split into words; null: English"
    )
    note: str = Field("", description="Note that is printed below tables")

    @model_validator(mode="after")
    def _keys_of_kind(self) -> "DictionaryFiles":
        if self.kind == "csv":
            return self
        if (self.kind == "word_pairs") != (self.probability is not None):
            raise ValueError("word_pairs need a probability; the files of ppdb and ehimerppdb have them")
        if self.language is not None:
            raise ValueError(f"language is of kind csv alone; in files of kind {self.kind} words are split")
        return self


class SentenceColumn(Spec):
    """Where the sentences and documents are in a file."""

    column: str | None = Field(
        None,
        description="Column of the sentences in a CSV or Parquet file; null: a text file, a sentence a line",
    )
    documents: str | None = Field(
        None,
        description="blank_lines: blank lines end documents in a text file; a column name: the column with "
        "each sentence's document in a CSV or Parquet file; null: not known, so pairs of kind "
        "adjacent cannot be built",
    )

    @model_validator(mode="after")
    def _documents_of_the_format(self) -> "SentenceColumn":
        if self.column is None and self.documents not in (None, BLANK_LINES):
            raise ValueError(
                f"documents names a column, '{self.documents}', and column is null, a text file: name the "
                f"column of the sentences, too, or write documents: {BLANK_LINES}"
            )
        return self


class SentenceFile(SentenceColumn):
    """A published corpus, or one of your own: a text file, one sentence a line, or a column of a table."""

    kind: Literal["files"] = "files"
    path: PathText = Field(description="File below the data folder")
    language: Language = LANGUAGE
    note: str = Field(
        "", description="Note that is printed below tables, such as how much of the corpus it is"
    )

    @property
    def files(self) -> list[str]:
        return [self.path]


class PairFile(Spec):
    """Pairs, with or without hard negatives, in a file format of SimCSE or of a library."""

    kind: Literal["simcse", "sentence-transformers", "flag-embedding"] = Field(
        description="simcse: CSV with the header sent0,sent1 or sent0,sent1,hard_neg; sentence-transformers: "
        "Parquet or JSON Lines with the columns anchor, positive, hard negatives in this order, "
        "and a score if one has that name; flag-embedding: JSON Lines of query, pos, neg and "
        "neg_scores"
    )
    path: PathText = Field(description="File below the data folder, or with `./` in front below the project")
    language: Language = LANGUAGE
    note: str = Field("", description="Note that is printed below tables")

    @property
    def files(self) -> list[str]:
        return [self.path]


class SNLITriples(Spec):
    """Labelled pairs in SentEval's format of SNLI, three parallel files, to be put together as triples."""

    kind: Literal["snli"]
    language: ClassVar[Language] = "english"
    path: PathText = Field(description="Folder below the data folder")
    split: Split = "train"
    note: str = Field("", description="Note that is printed below tables")

    @property
    def files(self) -> list[str]:
        return [f"{self.path}/{part}.{self.split}" for part in ("s1", "s2", "labels")]


class JSNLITriples(Spec):
    """Labelled pairs in the format of JSNLI, tab-separated, to be put together as triples."""

    kind: Literal["jsnli"]
    language: ClassVar[Language] = "japanese"
    path: PathText = Field(description="File below the data folder, or with `./` in front below the project")
    note: str = Field("", description="Note that is printed below tables")

    @property
    def files(self) -> list[str]:
        return [self.path]


class HubFile(Spec):
    """A file of a hub data set, in the format of SimCSE."""

    kind: Literal["hub"] = "hub"
    dataset: str
    file: str
    revision: Commit
    rows: int | None = Field(
        None, ge=1, description="Refuse the file unless it has this number of sentences or triples"
    )
    language: Language = LANGUAGE
    note: str = Field("", description="Note that is printed below tables")


class HubSentences(SentenceColumn, HubFile):
    """A file of a hub data set with sentences."""


class HubArchive(Spec):
    """A tar file of a hub data set, unpacked as the data folder."""

    dataset: str
    file: str
    revision: Commit


ArticleSource = Annotated[
    Annotated[ArticleFiles, Tag("files")] | Annotated[HubTable, Tag("hub")], by_kind("files")
]


SentenceSource = Annotated[
    Annotated[SentenceFile, Tag("files")] | Annotated[HubSentences, Tag("hub")], by_kind("files")
]


TripleSource = Annotated[PairFile | SNLITriples | JSNLITriples | HubFile, Field(discriminator="kind")]
