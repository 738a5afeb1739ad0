import shutil
from functools import partial

import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, MarianConfig, MarianMTModel, PreTrainedTokenizerFast

from contrapose.base.errors import ConfigError
from contrapose.generate import backtranslation, encoder_decoders, queries, seq2seq
from contrapose.generate.encoder_decoders import Seq2SeqModel
from contrapose.models.checkpoint import identity
from contrapose.tables import PARAPHRASES, TRANSLATIONS, checked_arrays

LETTERS = [chr(ord("a") + n) for n in range(26)]
CHARACTERS = list("今天气怎么样你在哪里呢我不知道的")
WORDS = ["</s>", "<unk>", "<pad>", *LETTERS, *CHARACTERS]
TEXTS = [
    "今天天气怎么样", "你在哪里呢", "我不知道", "你", "今天的天气怎么样呢", "我在哪里", "天气", 
    "你知道我在哪里呢",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A Marian model with random weights that writes letters only, two beams wide."""
    torch.manual_seed(1)
    made = tmp_path_factory.mktemp("marian")
    config = MarianConfig(
        vocab_size=len(WORDS), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
        pad_token_id=2, eos_token_id=0, bos_token_id=None, decoder_start_token_id=2, forced_eos_token_id=None,
        init_std=1.0, scale_embedding=False,
    )  # fmt: skip
    model = MarianMTModel(config)
    model.final_logits_bias[0, len(WORDS) - len(CHARACTERS) :] = -1e4
    # So that most end, after something else than one letter again and again; sampling is not ours.
    told = {"no_repeat_ngram_size": 1, "max_length": 12, "bad_words_ids": [[2], [1]]}
    model.generation_config.update(num_beams=2, do_sample=True, **told)
    model.save_pretrained(made)
    letters = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unk>"))
    letters.normalizer = normalizers.NFKC()
    letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    letters.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 0)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=letters, eos_token="</s>", unk_token="<unk>", pad_token="<pad>"
    )
    tokenizer.save_pretrained(made)
    return made


def translated(texts, translate, state):
    """Return the translations that seq2seq keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder_decoders, "Seq2SeqModel", lambda *model: translate)
        return seq2seq.build(None, pd.DataFrame({"text": texts}), "", "cpu", state)


def test_translations_do_not_depend_on_the_batch_size_or_the_order(folder, monkeypatch, tmp_path):
    translate = Seq2SeqModel(folder, "cpu")
    monkeypatch.setattr(seq2seq, "AT_ONCE", 1)
    one = translated(TEXTS, translate, tmp_path / "1")
    assert 2 < len(one) < len(TEXTS)  # some do not come to an end
    assert one.translation.nunique() > 2
    for size in (2, 3, 8):
        monkeypatch.setattr(seq2seq, "AT_ONCE", size)
        pd.testing.assert_frame_equal(translated(TEXTS, translate, tmp_path / str(size)), one)
    backwards = translated(TEXTS[::-1], Seq2SeqModel(folder, "cpu"), tmp_path / "backwards")
    assert sorted(backwards.itertuples(index=False)) == sorted(one.itertuples(index=False))


def test_it_says_what_transformers_says(folder):
    translate = Seq2SeqModel(folder, "cpu")
    model = MarianMTModel.from_pretrained(folder)
    ids = model.generate(**translate.tokenizer([TEXTS[0]], return_tensors="pt"), do_sample=False)
    text = translate.tokenizer.decode(ids[0], skip_special_tokens=True).strip()
    assert translate(TEXTS[:1]) == [text if ids[0, -1] == 0 else ""]


class Scripted:
    """A translator that says what a test tells it to."""

    def __init__(self, **said):
        self.said, self.batches = said, []
        self.identity = partial(identity, *said.values())

    def __call__(self, texts):
        self.batches.append(list(texts))
        return [self.said[text] for text in texts]


def test_finished_batches_are_not_translated_again_unless_by_another_model(monkeypatch, tmp_path):
    monkeypatch.setattr(seq2seq, "AT_ONCE", 2)
    said = {"fourth": "4", "fifth": "5", "third": "3", "one": "1"}
    ends, whole, other = Scripted(**said), Scripted(**said), Scripted(**said | {"fifth": "6"})
    del ends.said["one"]
    with pytest.raises(KeyError):
        translated([*said], ends, tmp_path)
    assert translated([*said], whole, tmp_path).translation.tolist() == ["4", "5", "3", "1"]
    assert whole.batches == [["third", "one"]]
    assert translated([*said], other, tmp_path).translation.tolist() == ["4", "6", "3", "1"]


def test_a_model_that_is_told_to_search_otherwise_is_another_one(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "wider")
    told = tmp_path / "wider" / "generation_config.json"
    told.write_text(told.read_text().replace('"num_beams": 2', '"num_beams": 3'))
    kept, other, same = (Seq2SeqModel(each, "cpu").identity("a") for each in (folder, told.parent, folder))
    assert kept == same != other


def test_an_encoder_is_no_translator_and_a_pickle_is_not_read(folder, tmp_path):
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    BertModel(BertConfig(vocab_size=10, **size)).save_pretrained(tmp_path / "bert")
    with pytest.raises(ConfigError, match=r"translator .* type bert, which is not an encoder-decoder"):
        Seq2SeqModel(tmp_path / "bert", "cpu")
    (tmp_path / "bert" / "model.safetensors").rename(tmp_path / "bert" / "pytorch_model.bin")
    with pytest.raises(
        ConfigError, match=r"a pickle, which Contrapose never reads, but model\.safetensors is needed"
    ):
        Seq2SeqModel(tmp_path / "bert", "cpu")


def test_there_and_back_each_distinct_text_is_translated_once(monkeypatch, tmp_path):
    there = Scripted(one="eins", two="zwei", three="", four="eins")
    back = Scripted(eins="a one", zwei="")
    texts = {"a": "one", "b": "two", "c": "three", "d": "four", "e": "one"}
    sentences = pd.DataFrame({"id": texts.keys(), "text": texts.values()})
    monkeypatch.setattr(encoder_decoders, "Seq2SeqModel", lambda model, device: model)
    translations, found = backtranslation.build(None, sentences, (there, back), "cpu", tmp_path)
    assert translations.to_numpy().tolist() == [["one", "eins"], ["two", "zwei"], ["four", "eins"]]
    assert found.to_numpy().tolist() == [["a", 0, "a one"], ["d", 0, "a one"], ["e", 0, "a one"]]
    assert (there.batches, back.batches) == ([["three", "four", "one", "two"]], [["eins", "zwei"]])
    checked_arrays(translations, "translations", TRANSLATIONS)
    checked_arrays(found, "backtranslations", PARAPHRASES)
    nothing = backtranslation.build(None, sentences.head(0), (there, back), "cpu", tmp_path)
    checked_arrays(nothing[1], "backtranslations", PARAPHRASES)


def test_queries_are_drawn_anew_for_each_slot_and_the_same_ones_every_time(folder, monkeypatch, tmp_path):
    documents = pd.DataFrame({"id": [f"d{n}" for n in range(len(TEXTS))], "text": TEXTS})
    monkeypatch.setattr("contrapose.generate.queries.DOCUMENTS", 3)
    spec, model = queries.QueryWriting(queries=3), Seq2SeqModel(folder, "cpu")
    found = queries.build(spec, documents, model, tmp_path)
    checked_arrays(found, "found", PARAPHRASES)
    assert found.sentence_id.unique().tolist() == documents.id.tolist()
    assert found.slot.tolist() == [0, 1, 2] * len(TEXTS)
    assert found.text.nunique() > len(TEXTS)
    pd.testing.assert_frame_equal(queries.build(spec, documents, model, tmp_path / "again"), found)
    assert set(found.text[found.text.str.len() > 0].str.replace(" ", "").sum()) <= {*LETTERS}
    monkeypatch.setattr(Seq2SeqModel, "drawn", None)
    pd.testing.assert_frame_equal(queries.build(spec, documents, model, tmp_path), found)  # kept


def test_gpl_writes_250_000_queries_in_all_or_three_for_each_document(folder, monkeypatch, tmp_path):
    # By `gpl/train.py`: `math.ceil(250e3 / n)` if 3 n < 250e3.
    counts = {914: 274, 83_333: 4, 83_334: 3, 10**6: 3, 1: 2**15}
    assert {n: queries.queries_per_document(n) for n in counts} == counts
    monkeypatch.setattr("contrapose.generate.queries.ALL_QUERIES", 14)
    documents = pd.DataFrame({"id": ["a", "b"], "text": TEXTS[:2]})
    spec, model = queries.QueryWriting(queries="auto"), Seq2SeqModel(folder, "cpu")
    found = queries.build(spec, documents, model, tmp_path)
    assert found.slot.tolist() == [*range(7)] * 2
    monkeypatch.setattr("contrapose.generate.queries.QUERIES", 7)
    at_once = queries.build(spec, documents, model, tmp_path)
    assert (found.text != at_once.text).any()  # the first five, then two: another batch
    five = queries.build(queries.QueryWriting(queries=5), documents, model, tmp_path)
    assert found[found.slot < 5].text.tolist() == five.text.tolist()
