"""Small frozen outputs of the stages before training, from a small mini world to accepted paraphrases."""

from pathlib import Path

import httpx
import pandas as pd
import pytest

from contrapose.corpus.article_file import ArticleFile
from contrapose.corpus.draw import CorpusDraws, drawn_sentences
from contrapose.corpus.punkt_parameters import punkt_parameters, splitter
from contrapose.corpus.sample import corpus_sentences
from contrapose.generate.parsing import five_paraphrases
from contrapose.retrieve.articles import ArticleFiles, read_articles
from contrapose.settings.catalogs import MiniWorld
from contrapose.tables import ARTICLES, TableWriter
from contrapose_mini import loopback
from contrapose_mini.files import write_mini_world

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalog")
    write_mini_world(folder, MiniWorld(articles=60, pairs=4))
    source = ArticleFiles(path="wikipedia/*.parquet", format="parquet")
    with TableWriter(folder / "articles.parquet", ARTICLES) as writer:
        for piece in read_articles(sorted(folder.glob(source.path)), source):
            writer.write(piece)
    return folder


def sampled(catalog: Path, method: int) -> pd.DataFrame:
    articles = ArticleFile(catalog / "articles.parquet")
    split = splitter(punkt_parameters(articles, 60)[0])
    spec = CorpusDraws(method=method, draws=50, size=6)
    sentences, _ = corpus_sentences(drawn_sentences(articles, split, spec), spec)
    return sentences.assign(method=method)


def test_the_first_sentences_of_each_method_are_the_frozen_ones(catalog, golden):
    sentences = pd.concat([sampled(catalog, method) for method in (1, 2, 3)])
    golden("sentences.csv", sentences.to_csv(index=False, lineterminator="\n"))


def test_the_answers_to_them_and_what_is_accepted_are_the_frozen_ones(catalog, golden):
    prompt = (HOME / "config" / "prompts" / "2.txt").read_text().strip()
    parts = []
    with loopback.endpoint() as url:
        for sentence in sampled(catalog, 1).text:
            for model in ("divergent", "close"):
                messages = [{"role": "user", "content": prompt.replace("{sentence}", sentence)}]
                body = {"model": model, "messages": messages, "seed": 1}
                choice = httpx.post(f"{url}/chat/completions", json=body).json()["choices"][0]
                answer = choice["message"]["content"] or ""
                accepted = five_paraphrases(answer, choice["finish_reason"], sentence)
                verdict = "accepted" if isinstance(accepted, list) else f"refused: {accepted}"
                parts.append(f"## {model}: {sentence}\n\n{answer}\n\n[{verdict}]\n")
    golden("answers.md", "\n".join(parts))
