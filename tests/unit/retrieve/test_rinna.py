import json

import pytest
import sentencepiece
import torch
from transformers import AutoTokenizer, GPT2LMHeadModel, RobertaModel

from contrapose.base.errors import ConfigError
from contrapose.models.perplexity import load_causal_lm, perplexities
from contrapose.models.sentence_encoder import load_encoder
from contrapose.retrieve.rinna_models import write_rinna_encoder, write_rinna_language_model
from tests.checkout import HOME

# The mini world's, in the form in which rinna has released its own.
ENCODER, LANGUAGE_MODEL = (
    HOME / "resources/mini" / name
    for name in ("encoders/japanese-roberta-base", "language_models/japanese-gpt2")
)
TEXTS = [
    "猫が公園で本を読んだ。", "医者が病院で寝ている。", "選手がソファの上で手紙を書きました。",
    "ＮＨＫが１９９９年に放送した。", "ﾊﾟｰﾃｨｰで歌ったｶﾞｿﾘﾝ｡", "iPhoneをTOKYOで買う", "～から〜まで―",
    "株式会社㈱と㍿、①番", "  前後に空白  ", "全角\u3000空白\tタブ\n改行", "連続   する", "鬱髙﨑𠮷野",
    "猫😀と👨\u200d👩\u200d👧が歌った❤\ufe0f", "が か\u3099 ハ\u309a", "é É café", "…！？", "ﾞ", "▁下線▁",
    "", " ", "犬" * 60, "<unknown> [mask] cls",
]  # fmt: skip


@pytest.fixture(scope="module")
def pieces():
    return sentencepiece.SentencePieceProcessor(model_file=str(ENCODER / "spiece.model"))


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ordinary") / "encoder"
    write_rinna_encoder(ENCODER, folder)
    return folder


def test_a_text_has_the_tokens_that_sentencepiece_gives_its_lower_case(ordinary, pieces):
    tokenizer = AutoTokenizer.from_pretrained(ordinary)
    assert tokenizer.is_fast
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
    assert len(tokenizer("猫犬" * 200, truncation=True)["input_ids"]) == 128


def test_hidden_states_are_those_with_positions_from_0_given_by_hand(ordinary, pieces):
    model = RobertaModel.from_pretrained(ENCODER, dtype=torch.float64, add_pooling_layer=False).eval()
    encoder = load_encoder(ordinary, pooling="mean")
    network = encoder.model.double()
    for text in [text for text in TEXTS if text.strip()]:
        ids = torch.tensor([[4, *pieces.encode(text.lower()), 5]])
        with torch.no_grad():
            expected = model(input_ids=ids, position_ids=torch.arange(ids.shape[1])[None]).last_hidden_state
            plain = network(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state
        torch.testing.assert_close(plain, expected, atol=1e-6, rtol=0)


def test_a_language_model_gives_a_text_the_probability_of_its_pieces_after_the_start(tmp_path):
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(LANGUAGE_MODEL / "spiece.model"))
    write_rinna_language_model(LANGUAGE_MODEL, tmp_path / "ordinary")
    texts = [text for text in TEXTS if text.strip()]
    found = perplexities(load_causal_lm(tmp_path / "ordinary"), texts)
    model = GPT2LMHeadModel.from_pretrained(LANGUAGE_MODEL, dtype=torch.float32).eval()
    for text, perplexity in zip(texts, found, strict=True):
        ids = torch.tensor([[1, *pieces.encode(text.lower())]])
        with torch.no_grad():
            loss = model(input_ids=ids, labels=ids).loss
        assert perplexity == pytest.approx(float(loss.exp()), rel=1e-4)


def test_what_is_not_of_that_form_is_refused(tmp_path):
    for name in ("config.json", "model.safetensors", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((ENCODER / name).read_bytes())
    with pytest.raises(ConfigError, match=r"has no spiece\.model"):
        write_rinna_encoder(tmp_path, tmp_path / "out")
    names = json.loads((ENCODER / "tokenizer_config.json").read_text())
    del names["mask_token"]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(names))
    (tmp_path / "spiece.model").write_bytes((ENCODER / "spiece.model").read_bytes())
    with pytest.raises(ConfigError, match=r"has symbols of its own \(\[MASK\]\)"):
        write_rinna_encoder(tmp_path, tmp_path / "out")
    with pytest.raises(ConfigError, match="is of type roberta, but models of rinna are of type gpt2"):
        write_rinna_language_model(tmp_path, tmp_path / "out")
