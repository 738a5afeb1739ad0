import json

import sentencepiece
from safetensors.torch import load_file
from transformers import AutoTokenizer

from contrapose.retrieve.rinna_models import write_rinna_encoder
from contrapose_mini.pretrain import MiniEncoder, pretraining_texts
from contrapose_mini.rinna import pretrain_rinna_encoder

TEXTS = pretraining_texts(2000, "japanese", seed=3)
SHAPE = {"layers": 1, "hidden": 16, "heads": 2, "vocabulary": 900, "positions": 40, "steps": 3}
SPEC = MiniEncoder(architecture="roberta", language="japanese", **SHAPE)
FILES = {"config.json", "model.safetensors", "recipe.json", "spiece.model", "tokenizer_config.json"}


def test_an_encoder_is_saved_as_rinna_has_released_its_own(tmp_path):
    folder = tmp_path / "encoder"
    pretrain_rinna_encoder(TEXTS, SPEC, folder)
    assert {path.name for path in folder.iterdir()} == FILES
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model"))
    special = ["<unk>", "<s>", "</s>", "[PAD]", "[CLS]", "[SEP]", "[MASK]"]
    assert [pieces.id_to_piece(number) for number in range(7)] == special
    config = json.loads((folder / "config.json").read_text())
    assert [config["max_position_embeddings"], config["pad_token_id"], config["vocab_size"]] == [40, 3, 900]
    assert load_file(folder / "model.safetensors")["embeddings.position_embeddings.weight"].shape == (40, 16)
    write_rinna_encoder(folder, tmp_path / "ordinary")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "ordinary")
    assert tokenizer(TEXTS[0])["input_ids"] == [4, *pieces.encode(TEXTS[0].lower()), 5]
    assert tokenizer.unk_token_id not in {token for row in tokenizer(TEXTS)["input_ids"] for token in row}
    pretrain_rinna_encoder(TEXTS, SPEC, tmp_path / "again")
    for name in FILES - {"recipe.json"}:  # which says how long it took
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
