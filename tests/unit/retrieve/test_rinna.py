import json

import numpy as np
import pytest
import sentencepiece
import torch
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, RobertaConfig, RobertaModel

from contrapose.errors import ConfigError
from contrapose.retrieve.rinna import write_rinna_encoder, write_rinna_language_model
from contrapose.score.perplexity import load_causal_lm, perplexities
from contrapose.train.embeddings import embeddings
from contrapose.train.encoder import load_encoder

VOCABULARY = 130
SPECIAL = {
    "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "[PAD]", "cls_token": "[CLS]",
    "sep_token": "[SEP]", "mask_token": "[MASK]",
}  # fmt: skip
WHO = ["猫", "犬", "医者", "先生", "学生", "記者", "市長", "選手"]
WHERE = ["公園", "学校", "病院", "東京", "カフェ", "市役所", "図書館", "ソファの上"]
WHAT = [
    "本を読んだ",
    "寝ている",
    "パーティーを開いた",
    "歌った",
    "新聞を買う",
    "手紙を書きました",
    "nhkを見る",
    "2024年に働いた",
]
SENTENCES = [f"{who}が{where}で{what}。" for who in WHO for where in WHERE for what in WHAT]
TEXTS = [
    *SENTENCES[::20],
    "ＮＨＫが１９９９年に放送した。", "ﾊﾟｰﾃｨｰで歌ったｶﾞｿﾘﾝ｡", "iPhoneをTOKYOで買う", "～から〜まで―",
    "株式会社㈱と㍿、①番", "  前後に空白  ", "全角\u3000空白\tタブ\n改行", "連続   する", "鬱髙﨑𠮷野",
    "猫😀と👨\u200d👩\u200d👧が歌った❤\ufe0f", "が か\u3099 ハ\u309a", "é É café", "…！？", "ﾞ", "▁下線▁",
    "", " ", "犬" * 60, "<unknown> [mask] cls",
]  # fmt: skip


def write_config(folder, model):
    model.half().save_pretrained(folder)
    names = SPECIAL | {"do_lower_case": True, "tokenizer_class": "T5Tokenizer", "extra_ids": 0}
    (folder / "tokenizer_config.json").write_text(json.dumps(names))


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    """A sentencepiece vocabulary with the special tokens of rinna's, in their order."""
    folder = tmp_path_factory.mktemp("vocabulary")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_prefix=str(folder / "spiece"), vocab_size=VOCABULARY,
        model_type="unigram", pad_id=3, pad_piece="[PAD]", unk_id=0, bos_id=1, eos_id=2,
        user_defined_symbols=["[CLS]", "[SEP]", "[MASK]"], num_threads=1, minloglevel=2,
    )  # fmt: skip
    return folder / "spiece.model"


@pytest.fixture(scope="module")
def pieces(vocabulary):
    return sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))


@pytest.fixture(scope="module")
def released(tmp_path_factory, vocabulary):
    """A small model in the form of rinna/japanese-roberta-base."""
    folder = tmp_path_factory.mktemp("released")
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = RobertaConfig(
        vocab_size=VOCABULARY, max_position_embeddings=70, type_vocab_size=2, pad_token_id=3, bos_token_id=1,
        eos_token_id=2, initializer_range=0.5, **shape,
    )  # fmt: skip
    write_config(folder, RobertaModel(config, add_pooling_layer=False))
    (folder / "spiece.model").write_bytes(vocabulary.read_bytes())
    return folder


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory, released):
    folder = tmp_path_factory.mktemp("ordinary") / "encoder"
    write_rinna_encoder(released, folder)
    return folder


def test_a_text_has_the_tokens_that_sentencepiece_gives_its_lower_case(ordinary, pieces):
    tokenizer = AutoTokenizer.from_pretrained(ordinary)
    assert tokenizer.is_fast
    assert len(TEXTS) > 40
    for text in TEXTS:
        assert tokenizer(text)["input_ids"] == [4, *pieces.encode(text.lower()), 5], text


def test_half_width_kana_of_all_kinds_are_normalised_as_sentencepiece_does(ordinary, pieces):
    normalizer = AutoTokenizer.from_pretrained(ordinary).backend_tokenizer.normalizer
    kana = [chr(code) for code in range(0xFF61, 0xFFA0)]
    texts = [f"{first}{second}" for first in [*kana, "Ａ"] for second in kana]
    assert [normalizer.normalize_str(text) for text in texts] == [
        pieces.normalize(text.lower()) for text in texts
    ]


def test_two_texts_stand_between_the_special_tokens_with_one_type(ordinary, pieces):
    tokenizer = AutoTokenizer.from_pretrained(ordinary)
    encoded = tokenizer("猫が歌った", "犬が寝ている")
    one, other = pieces.encode(["猫が歌った", "犬が寝ている"])
    assert dict(encoded) == {
        "input_ids": [4, *one, 5, *other, 5],
        "attention_mask": [1] * (len(one + other) + 3),
    }
    assert tokenizer("猫[MASK]犬")["input_ids"] == [4, *pieces.encode("猫"), 6, *pieces.encode("犬"), 5]
    assert [tokenizer.pad_token_id, tokenizer.unk_token_id] == [3, 0]
    assert tokenizer("犬" * 200, truncation=True)["input_ids"][-1] == 5
    assert len(tokenizer("猫犬" * 200, truncation=True)["input_ids"]) == 70


def test_hidden_states_are_those_with_positions_from_0_given_by_hand(ordinary, released, pieces):
    model = RobertaModel.from_pretrained(released, dtype=torch.float32, add_pooling_layer=False).eval()
    encoder = load_encoder(ordinary, pooling="avg")
    for text in [text for text in TEXTS if text.strip()]:
        ids = torch.tensor([[4, *pieces.encode(text.lower()), 5]])
        with torch.no_grad():
            expected = model(input_ids=ids, position_ids=torch.arange(ids.shape[1])[None]).last_hidden_state
            plain = encoder.model(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state
        torch.testing.assert_close(plain, expected, atol=1e-6, rtol=0)


def test_texts_side_by_side_have_the_vectors_of_each_alone(ordinary):
    encoder = load_encoder(ordinary)
    texts = [text for text in TEXTS if text.strip()]
    alone = np.vstack([embeddings(encoder, [text]) for text in texts])
    np.testing.assert_allclose(embeddings(encoder, texts), alone, atol=2e-6)


def test_a_language_model_gives_a_text_the_probability_of_its_pieces_after_the_start(
    tmp_path, vocabulary, pieces
):
    torch.manual_seed(2)
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=80, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=2,
        initializer_range=0.5,
    )  # fmt: skip
    source = tmp_path / "released"
    write_config(source, GPT2LMHeadModel(config))
    (source / "spiece.model").write_bytes(vocabulary.read_bytes())
    write_rinna_language_model(source, tmp_path / "ordinary")
    texts = [text for text in TEXTS if text.strip()]
    found = perplexities(load_causal_lm(tmp_path / "ordinary"), texts)
    model = GPT2LMHeadModel.from_pretrained(source, dtype=torch.float32).eval()
    for text, perplexity in zip(texts, found, strict=True):
        ids = torch.tensor([[1, *pieces.encode(text.lower())]])
        with torch.no_grad():
            loss = model(input_ids=ids, labels=ids).loss
        assert perplexity == pytest.approx(float(loss.exp()), rel=1e-4)


def test_what_is_not_of_that_form_is_refused(tmp_path, released, vocabulary):
    for name in ("config.json", "model.safetensors", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((released / name).read_bytes())
    with pytest.raises(ConfigError, match=r"has no spiece\.model"):
        write_rinna_encoder(tmp_path, tmp_path / "out")
    names = {key: value for key, value in SPECIAL.items() if key != "mask_token"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(names))
    (tmp_path / "spiece.model").write_bytes(vocabulary.read_bytes())
    with pytest.raises(ConfigError, match=r"has symbols of its own \(\[MASK\]\)"):
        write_rinna_encoder(tmp_path, tmp_path / "out")
    with pytest.raises(ConfigError, match="is of type roberta, not gpt2"):
        write_rinna_language_model(tmp_path, tmp_path / "out")
