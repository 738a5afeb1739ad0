"""What cannot be obeyed is refused in a sentence that names it, before weights are read."""

import json
import math
import os
import shutil
import struct

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModel

from contrapose.base.errors import ConfigError
from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import check_encoder, load_encoder, new_encoder
from contrapose.settings.recipes import LoRA
from contrapose.train.recipe import Recipe
from tests.unit.models.layouts import (
    FORMER,
    WIDTH,
    changed,
    dense,
    folder_of,
    in_modules,
    pooling,
    without,
    write,
)

MEAN = pooling("mean")
ENTRIES = [
    {"idx": 0, "name": "0", "path": "", "type": f"{FORMER}.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{FORMER}.Pooling"},
]


def entries(*changes):
    """Change entries of modules.json, or add some."""
    others = [{}] * (len(ENTRIES) - len(changes))
    known = [{**entry, **change} for entry, change in zip(ENTRIES, [*changes, *others], strict=False)]
    return lambda folder: write(folder / "modules.json", [*known, *changes[len(ENTRIES) :]])


def file(name, content):
    return lambda folder: write(folder / name, content)


def of_transformer(**values):
    return file("sentence_bert_config.json", values)


def of_whole(**values):
    return file("config_sentence_transformers.json", values)


def behind(kind, **settings):
    """Add a module behind the pooling, without weights."""

    def add(folder):
        (folder / f"2_{kind}").mkdir()
        write(folder / f"2_{kind}/config.json", settings)
        write(folder / "modules.json", [*ENTRIES, {"path": f"2_{kind}", "type": f"{FORMER}.{kind}"}])

    return add


def dense_of(inputs, outputs, weights=None, **others):
    """Add a Dense module, with weights of another size if they are given."""

    def add(folder):
        behind("Dense", **dense(inputs, outputs, **others)[1])(folder)
        size = weights or (outputs, inputs)
        save_file(
            {"linear.weight": torch.zeros(size), "linear.bias": torch.zeros(size[0])},
            folder / "2_Dense/model.safetensors",
        )

    return add


def smaller_vocabulary(folder):
    model = AutoModel.from_pretrained(folder)
    model.resize_token_embeddings(20)
    model.save_pretrained(folder)


def linked(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def fifo(folder):
    (folder / "1_Pooling/config.json").unlink()
    os.mkfifo(folder / "1_Pooling/config.json")


def of_tokenizer(**values):
    def change(folder):
        path = folder / "tokenizer_config.json"
        write(path, {**json.loads(path.read_text()), **values})

    return change


def header(path, shapes):
    """Write a file of safetensors, all numbers of which are a hole in it."""
    tensors, end = {}, 0
    for name, shape in shapes.items():
        size = 4 * math.prod(shape)
        tensors[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(tensors).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + end)


def tensors(count, **config):
    """Put weights of many tensors in the place of the own ones."""

    def put(folder):
        header(folder / "model.safetensors", {f"t{number}": [1] for number in range(count)})
        changed(folder / "config.json", **config)

    return put


def large_dense(size):
    def add(folder):
        behind("Dense", **dense(size, size)[1])(folder)
        header(folder / "2_Dense/model.safetensors", {"linear.weight": [size, size], "linear.bias": [size]})

    return add


def flow(**settings):
    def add(folder):
        behind("FlowModule", **{"size": WIDTH, "levels": 1, "depth": 1, "width": 4, **settings})(folder)
        entry = {"path": "2_FlowModule", "type": "contrapose.models.export.FlowModule"}
        write(folder / "modules.json", [*ENTRIES, entry])
        header(folder / "2_FlowModule/model.safetensors", {"a": [1]})

    return add


def pickle_in_index(folder):
    (folder / "model.safetensors").rename(folder / "weights.bin")
    write(folder / "model.safetensors.index.json", {"weight_map": {"a": "weights.bin"}})


def config(content):
    return lambda folder: (folder / "config.json").write_bytes(content)


def config_with(**values):
    return lambda folder: changed(folder / "config.json", **values)


def weights_as(name):
    return lambda folder: (folder / "model.safetensors").rename(folder / name)


REFUSED = {
    r"is not a folder\. Check the encoders of the catalog": shutil.rmtree,
    r"has no config.json": lambda folder: (folder / "config.json").unlink(),
    r"has no weights, but model\.safetensors is needed": weights_as("other"),
    (
        r"has only pytorch_model\.bin, a pickle, which "
        r"Contrapose never reads, but model\.safetensors is needed"
    ): weights_as("pytorch_model.bin"),
    r"encoder/model.safetensors is damaged or incomplete \([^:]*\)\. Copy or download it": lambda folder: (
        folder / "model.safetensors"
    ).write_bytes(b"torn"),
    r"config.json cannot be used.*brandnew": config(b'{"model_type": "brandnew"}'),
    r"config.json cannot be used.*hidden_size": config_with(hidden_size="big"),
    r"config\.json cannot be used": config_with(model_type="t5"),
    r"num_hidden_layers is 1000000 in its config\.json": config_with(num_hidden_layers=10**6),
    r"cannot be read as JSON": config(b"[" * 10**5),
    r"type t5, which is not an encoder": config(b'{"model_type": "t5"}'),
    r"in_features is 131072, but a whole number from 1 to 65536 is expected": large_dense(131_072),
    "module Dense takes vectors of 60000 dimensions, but gets 16": large_dense(60_000),
    "PyTorch has no activation function MultiheadAttention for single numbers without settings": dense_of(
        WIDTH, 4, activation="activation.MultiheadAttention"
    ),
    r"PyTorch has no activation function GLU for single numbers": dense_of(
        WIDTH, 4, activation="activation.GLU"
    ),
    r"2_FlowModule: its config.json declares 1000000000 steps, but its model.safetensors has 1 tensors": flow(
        depth=10**9
    ),
    r"2_FlowModule: its model.safetensors does not fit its config.json": flow(width=10**9),
    r"modules.json: modules is .*, but a value of at most 100 items is expected": file(
        "modules.json", ENTRIES * 51
    ),
    r"modules.json: modules \(entry 1\).path: a path cannot contain a NUL character": entries(
        {"path": "a" * 300}
    ),
    r"model.safetensors.index.json: the file name 'weights.bin' is not allowed": pickle_in_index,
    r"weights have 100001 tensors, but Contrapose reads at most 100000": tensors(100_001),
    r"num_hidden_layers is 1500 in its config.json, but Contrapose builds at most 1000": tensors(
        2000, num_hidden_layers=1500
    ),
    r"num_labels is 100000000 in its config.json, but Contrapose builds at most 1000000": config_with(
        num_labels=10**8
    ),
    r"model_max_length of its tokenizer is 'a', but it must be 1 or more": of_tokenizer(model_max_length="a"),
    r"tokenizer.json is a pipe or a device, not a file": lambda folder: linked(folder / "tokenizer.json"),
    r"modules.json: the first module is .*StaticEmbedding, which is not a transformer": entries(
        {"type": f"{FORMER}.StaticEmbedding"}
    ),
    r"the first module is custom_st.Transformer, which is not": entries({"type": "custom_st.Transformer"}),
    r"module CNN is not supported after a pooling. Supported modules: Dense, Normalize": behind("CNN"),
    r"module mine.Normalize is not supported": entries({}, {}, {"type": "mine.Normalize", "path": ""}),
    r"followed by sentence_transformers.models.Dense, but Pooling": entries({}, {"type": f"{FORMER}.Dense"}),
    r"the path '../other' leads out of the folder": entries({}, {"path": "../other"}),
    r"modules.json: modules \(entry 1\).type is 3, but a text is expected": entries({"type": 3}),
    r"modules.json: modules is a mapping, but a list is expected": file("modules.json", {"a": 1}),
    r"modules.json: modules \(entry 1\) is 1, but a mapping \(`key: value`\) is expected": file(
        "modules.json", [1, 2]
    ),
    r"modules.json: modules is \[\], but a value of at least 1 item is expected": file("modules.json", []),
    r"1_Pooling/config.json: pooling_mode.* is 'attention', but 'cls', 'max'": file(
        "1_Pooling/config.json", {"pooling_mode": "attention"}
    ),
    r"1_Pooling/config.json: the whole content is \[1\], but a mapping \(`key: value`\) is expected": file(
        "1_Pooling/config.json", [1]
    ),
    r"1_Pooling/config.json is a pipe or a device, not a file": fifo,
    r"2_Dense/config.json: the key in_features is missing": behind("Dense", out_features=3),
    r"module_input_name is 'token_embeddings', but 'sentence_embedding' is expected": behind(
        "Normalize", module_input_name="token_embeddings"
    ),
    (
        "2_Dense: its model.safetensors with linear.weight cannot be read .*Contrapose never reads pickles"
    ): behind("Dense", **dense(WIDTH, 4)[1]),
    r"module Dense takes vectors of 24 dimensions, but gets 16": dense_of(24, 4),
    (
        r"linear.weight is \[4, 16\] in its model.safetensors, " r"but \[60000, 16\] according to its config"
    ): dense_of(WIDTH, 60_000, weights=(4, WIDTH)),
    r"activation_function is 'os.system', but a text of the form .* is expected": behind(
        "Dense", **{**dense(WIDTH, 4)[1], "activation_function": "os.system"}
    ),
    r"PyTorch has no activation function Wavelet": dense_of(WIDTH, 4, activation="activation.Wavelet"),
    r"bert_config.json: max_seq_length is -1, but a whole number of at least 1 is expected": of_transformer(
        max_seq_length=-1
    ),
    r"sentence_bert_config.json: pad_to: Extra inputs are not permitted": of_transformer(pad_to=8),
    r"transformer_task is 'fill-mask', but 'feature-extraction' is expected": of_transformer(
        transformer_task="fill-mask"
    ),
    r"modality_config.message": of_transformer(modality_config={"text": {}, "message": {}}),
    r"query_length is 32, but null is expected": of_transformer(query_length=32),
    r"tokenizer_args.vocab_file is not supported. Supported keys: add_prefix_space": of_transformer(
        tokenizer_args={"vocab_file": "/etc/passwd"}
    ),
    r"model_max_length of its tokenizer is -1, but it must be 1 or more": of_transformer(
        tokenizer_args={"model_max_length": -1}
    ),
    r"config_args.auto_map does not exist in its config.json": of_transformer(config_args={"auto_map": {}}),
    r"model_type is 'CrossEncoder', but 'SentenceTransformer' is expected": of_whole(
        model_type="CrossEncoder"
    ),
    r"transformers.json: prompts is \['a'\], but a mapping \(`key: value`\) is expected": of_whole(
        prompts=["a"]
    ),
    r"default_prompt_name is 'q', but the prompts are \[\]. Name one": of_whole(default_prompt_name="q"),
    r"truncate_dim is 0, but a whole number of at least 1 is expected\. Save the model": of_whole(
        truncate_dim=0
    ),
    r"tokenizer has 27 tokens with ids up to 26, but the model has 20 embeddings. Save": smaller_vocabulary,
    (
        r"do not fit its config\.json\. The shape of "
        r"encoder\.layer\.0\.intermediate\.dense\.bias is \[32\], but"
    ): config_with(intermediate_size=40),
    r"its weights lack 1 tensors of a bert model. The first is .*output.dense.bias": lambda folder: without(
        folder, "encoder.layer.1.output.dense.bias"
    ),
    r"has no tokenizer, because none of these files exists: tokenizer.json": lambda folder: (
        folder / "tokenizer.json"
    ).unlink(),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    made = in_modules(folder_of("Bert", tmp_path_factory.mktemp("whole")), MEAN)
    check_encoder(made)
    return made


@pytest.mark.parametrize("message", REFUSED)
def test_a_folder_that_cannot_be_obeyed_is_refused(message, whole, tmp_path):
    folder = shutil.copytree(whole, tmp_path / "encoder")
    REFUSED[message](folder)
    for look in (check_encoder, load_encoder):
        with pytest.raises(ConfigError, match=f"(?s){message}") as error:
            look(folder)
        assert str(folder) in str(error.value)


def test_an_adapter_is_no_pickle_and_not_its_own_model(tiny_encoder, tmp_path):
    recipe = Recipe(pooling="mean", lora=LoRA(rank=2, save="adapter"), max_length=16)
    folder = tmp_path / "adapter"
    save_encoder(new_encoder(tiny_encoder("bert"), recipe, 42), folder)
    assert check_encoder(folder).described == "mean"
    content = json.loads((folder / "adapter_config.json").read_text())
    write(folder / "adapter_config.json", {**content, "base_model_name_or_path": "."})
    with pytest.raises(ConfigError, match="names the adapter itself as its model"):
        load_encoder(folder)
    for name in (3, "a" * 5000, "a\0", ["a"]):
        write(folder / "adapter_config.json", {**content, "base_model_name_or_path": name})
        with pytest.raises(ConfigError, match="This is not a folder on this machine"):
            load_encoder(folder)
    other = shutil.copytree(folder, tmp_path / "other")
    for place, name in ((folder, "../other"), (other, "../adapter")):
        write(place / "adapter_config.json", {**content, "base_model_name_or_path": name})
    with pytest.raises(ConfigError, match="names the adapter itself as its model"):
        load_encoder(folder)
    write(folder / "adapter_config.json", content)
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(ConfigError, match=r"only adapter_model\.bin, a pickle, which Contrapose never reads"):
        load_encoder(folder)


# Takes some 2^40 steps for the name of a layer that it does not fit.
NESTED = "(([a-z.0-9])+.)+[A-Z]"


def test_regular_expressions_of_an_adapter_are_not_matched(tiny_encoder, tmp_path):
    recipe = Recipe(pooling="mean", lora=LoRA(rank=2, save="adapter"), max_length=16)
    encoder, folder = new_encoder(tiny_encoder("bert"), recipe, 42), tmp_path / "adapter"
    for name, weights in encoder.model.named_parameters():
        if "lora_B" in name:  # fresh ones are 0, so the adapter would change nothing
            torch.nn.init.ones_(weights)
    save_encoder(encoder, folder)
    expected, content = load_encoder(folder), json.loads((folder / "adapter_config.json").read_text())
    write(folder / "adapter_config.json", {**content, "target_modules": NESTED, "exclude_modules": NESTED})
    found = load_encoder(folder)
    for one, other in zip(found.parameters(), expected.parameters(), strict=True):
        assert torch.equal(one, other)
    base = load_encoder(tiny_encoder("bert"))
    pairs = zip(found.parameters(), base.parameters(), strict=True)
    assert not all(torch.equal(one, other) for one, other in pairs)
    write(folder / "adapter_config.json", {**content, "rank_pattern": {NESTED: 2}})
    with pytest.raises(
        ConfigError,
        match=r"rank_pattern of its adapter_config\.json contains .*, but names",
    ):
        load_encoder(folder)
