"""The jobs that make test pairs of sentences without labels, in a folder of `contrapose init`."""

from contrapose.tools.new import write
from tests.checkout import HOME, forked_snakemake, planned

SETS = "results/retrieve/benchmarks/own.parquet"


def test_pairs_are_drawn_from_held_out_sentences_and_graded(tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("".join(f"Sentence number {number}.\n" for number in range(30)))
    encoder = str(HOME / "resources/mini/encoders/bert-base")
    judge = "{endpoint: 'python:contrapose_mini.loopback', model: close}"
    write(tmp_path / "own", encoder, {"sentences": lines}, judge=judge)
    call = ("--directory", str(tmp_path / "own"), "--cores", "1", "--dry-run", "--", SETS)
    assert planned(forked_snakemake(HOME, *call).stdout) == {
        **dict.fromkeys(("corpus_punkt", "corpus_published_lines", "corpus_divided"), 1),
        **dict.fromkeys(("score_stratified", "pairs_stratified", "generate_judgements"), 1),
        **dict.fromkeys(("retrieve_made_pairs", "retrieve_benchmarks"), 1),
    }
