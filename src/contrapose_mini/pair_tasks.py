"""The pairs that encoders are fine-tuned on, English and Japanese, in the formats of the real sets.

What two sentences say decides the gold: SNLI and JNLI are `triplets.inferences`, SICK's and JSICK's labels
are `benchmarks.entailment`, the grades are votes on the similarity, PAWS and PAWS-X are
`paraphrase.scrambled_pairs`, ESCI is `products`.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from contrapose.base.seeds import generator
from contrapose_mini.benchmarks import ANNOTATORS, SICK, Look, PairMaker, entailment, vote
from contrapose_mini.draws import chance
from contrapose_mini.japanese.wording import unspaced
from contrapose_mini.output import write_parquet, write_text
from contrapose_mini.paraphrase import scrambled_pairs
from contrapose_mini.products import LOCALES, judgements
from contrapose_mini.triplets import Inference, inferences

# Rows in units of `pairs`: hundreds, so that a fine-tuning of a small encoder takes seconds.
SNLI_SPLITS = {"train": 8, "dev": 2, "test": 3}
PAWS_SPLITS = {"train": 8, "dev": 2, "test": 3}
PAWSX_FILES = {"translated_train": 8, "dev_2k": 2, "test_2k": 3}
JGLUE_SPLITS = {"train": 10, "valid": 3, "test": 3}  # the reader takes a tenth of train as dev
JSICK_SPLITS = {"train": 8, "trial": 2, "test": 3}
ESCI_SPLITS = {"train": 10, "test": 3}  # of each locale; dev is of train, too
JSNLI = 33  # premises, with three pairs each
PAWS_SAME = 0.442  # share of label 1 of PAWS (labeled_final), and about that of PAWS-X
PLACEHOLDERS = 0.007  # sentences of PAWS-X that are `NS`, as in the Chinese set (chinese/pairs.py)
JSTS = Look("caption", details=0.3, level=0.55, mix="far")
SMALL = 0.5  # ours; queries of ESCI that its smaller version has too
JSICK_COLUMNS = (
    "pair_ID", "data", "sentence_A_En", "sentence_B_En", "entailment_label_En", "relatedness_score_En",
    "corr_entailment_labelAB_En", "corr_entailment_labelBA_En", "sentence_A_Ja", "sentence_B_Ja",
    "entailment_label_Ja", "relatedness_score_Ja", "image_ID", "original_caption", "semtag_short",
    "semtag_long",
)  # fmt: skip


def write_english_pair_tasks(folder: Path, maker: PairMaker, pairs: int) -> None:
    """Write `snli/` in SentEval's form and `paws/final/`; `pairs` is the unit of the sizes."""
    for split, units in SNLI_SPLITS.items():
        made = _inferred(maker, f"SNLI {split}", units * pairs)
        for name in ("premise", "hypothesis", "label"):
            file = {"premise": "s1", "hypothesis": "s2", "label": "labels"}[name]
            end = "" if name == "label" else " "  # every sentence of the real files ends in a space
            write_text(folder / "snli" / f"{file}.{split}", (f"{getattr(each, name)}{end}" for each in made))
    for split, units in PAWS_SPLITS.items():
        rows = scrambled_pairs(maker, f"PAWS {split}", "news", PAWS_SAME, units * pairs, balanced=True)
        write_text(folder / "paws" / "final" / f"{split}.tsv", _numbered(rows))


def write_japanese_pair_tasks(folder: Path, maker: PairMaker, pairs: int) -> None:
    """Write `jglue/`, `jsick/`, `pawsx/ja/` and `jsnli/`."""
    for split, units in JGLUE_SPLITS.items():
        write_text(folder / "jglue" / "jsts-v1.3" / f"{split}-v1.3.json", _jsts(maker, split, units * pairs))
        jnli = _jnli(split, _inferred(maker, f"JNLI {split}", units * pairs))
        write_text(folder / "jglue" / "jnli-v1.3" / f"{split}-v1.3.json", jnli)
    write_text(folder / "jsick" / "jsick.tsv", _jsick(maker, pairs))
    for file, units in PAWSX_FILES.items():
        rows = scrambled_pairs(maker, f"PAWS-X {file}", "prose", PAWS_SAME, units * pairs, balanced=True)
        with_placeholders = (
            (_or_placeholder(maker, file, number, one), _or_placeholder(maker, file, -1 - number, two), label)
            for number, (one, two, label) in enumerate(rows)
        )
        write_text(folder / "pawsx" / "ja" / f"{file}.tsv", _numbered(with_placeholders))
    inferred = inferences(maker, "JSNLI", "caption", JSNLI * pairs)
    lines = ("\t".join((each.label, each.premise, each.hypothesis)) for each in inferred)
    write_text(folder / "jsnli" / "train_w_filtering.tsv", lines)


def _inferred(maker: PairMaker, name: str, count: int) -> list[Inference]:
    return list(islice(inferences(maker, name, "caption", -(-count // 3)), count))


def _capital(tokens: str) -> str:
    return tokens[:1].upper() + tokens[1:]


def _numbered(rows: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    yield "id\tsentence1\tsentence2\tlabel"
    for number, (one, two, label) in enumerate(rows, 1):
        yield f"{number}\t{_capital(one)}\t{_capital(two)}\t{label}"


def _or_placeholder(maker: PairMaker, name: str, number: int, tokens: str) -> str:
    dropped = chance(generator("mini", maker.seed, "placeholder", name, number), PLACEHOLDERS)
    return "NS" if dropped else unspaced(tokens)


def _json(**columns: object) -> str:
    return json.dumps(columns, ensure_ascii=False)


def _jsts(maker: PairMaker, split: str, count: int) -> Iterator[str]:
    for number in range(count):
        pair = maker.pair(f"JSTS {split}", number, JSTS)
        rng = generator("mini", maker.seed, "votes", "JSTS", split, number)
        yield _json(
            sentence_pair_id=str(number),
            yjcaptions_id=f"{split}-{number}",
            sentence1=unspaced(pair.first),
            sentence2=unspaced(pair.second),
            label=round(vote(rng, pair.similarity, ANNOTATORS["STS"], low=0), 1),
        )


def _jnli(split: str, inferred: Iterable[Inference]) -> Iterator[str]:
    for number, each in enumerate(inferred):
        yield _json(
            sentence_pair_id=str(number),
            yjcaptions_id=f"{split}-{number}",
            sentence1=unspaced(each.premise),
            sentence2=unspaced(each.hypothesis),
            label=each.label,
        )


def _jsick(maker: PairMaker, pairs: int) -> Iterator[str]:
    """Yield the rows of all splits; what the release says of the English sentences is blank."""
    yield "\t".join(JSICK_COLUMNS)
    given = [(split, n) for split, units in JSICK_SPLITS.items() for n in range(units * pairs)]
    for row, (split, number) in enumerate(given, 1):
        pair = maker.pair(f"JSICK {split}", number, SICK)
        rng = generator("mini", maker.seed, "votes", "JSICK", split, number)
        score = vote(rng, pair.similarity, ANNOTATORS["SICK"], low=1)
        first, second = (unspaced(text).removesuffix("。") for text in (pair.first, pair.second))
        known = {
            "pair_ID": str(row),
            "data": split,
            "sentence_A_Ja": first,
            "sentence_B_Ja": second,
            "entailment_label_Ja": entailment(pair).lower(),
            "relatedness_score_Ja": f"{score:g}",
        }
        yield "\t".join(known.get(column, "") for column in JSICK_COLUMNS)


def write_product_search(folder: Path, seed: int, pairs: int) -> None:
    """Write `esci/`: the two Parquet files of the Shopping Queries data set, both locales in each."""
    examples: dict[str, list[str | int]] = {}
    products: dict[str, list[str]] = {}
    for locale in LOCALES:
        for split, units in ESCI_SPLITS.items():
            for query, each in judgements(seed, locale, split, units * pairs):
                number = len(examples.get("example_id", ()))
                identity = f"B{number:09d}"
                small = chance(generator("mini", seed, "esci small", locale, split, query), SMALL)
                example: dict[str, str | int] = {
                    "example_id": number,
                    "query": each.query,
                    "query_id": 10_000 * LOCALES.index(locale) + 1_000 * (split == "test") + query,
                    "product_id": identity,
                    "product_locale": locale,
                    "esci_label": each.label,
                    "small_version": int(small),
                    "large_version": 1,
                    "split": split,
                }
                product: dict[str, str] = {
                    "product_id": identity,
                    "product_title": each.title,
                    "product_description": "",
                    "product_bullet_point": "",
                    "product_brand": each.brand,
                    "product_color": "",
                    "product_locale": locale,
                }
                for name, value in example.items():
                    examples.setdefault(name, []).append(value)
                for name, value in product.items():
                    products.setdefault(name, []).append(value)
    write_parquet(folder / "esci" / "shopping_queries_dataset_examples.parquet", examples)
    write_parquet(folder / "esci" / "shopping_queries_dataset_products.parquet", products)
