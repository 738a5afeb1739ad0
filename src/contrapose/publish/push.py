"""A folder onto a hub: only by this command, and only with a yes."""

import os
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from contrapose.errors import BackendError, ConfigError, TableError
from contrapose.publish.descriptor import DESCRIPTOR, SUMS, changed_files, files_of
from contrapose.publish.leaks import check_no_leak, secrets

MODULES = "modules.json"  # of sentence-transformers
TOKEN = "HF_TOKEN"  # the hub client's own variable


def push(folder: Path, repo: str, private: bool, yes: bool) -> bool:
    """Say what would be uploaded and to where; with `yes` upload it.

    Parameters
    ----------
    folder : Path
        A package becomes a data set of the hub, an encoder a model.
    repo : str
        ORG/NAME.  It is made if it is not there.
    private : bool
        Whether a new repository is.
    yes : bool
        Without it no request is sent.

    Returns
    -------
    bool
        Whether it was uploaded.

    Raises
    ------
    ConfigError
        The folder is neither, holds a secret, or there is no token in the environment.
    TableError
        The package was changed since it was written.
    BackendError
        The hub refuses.
    """
    kind = _kind(folder)
    check_no_leak(folder, secrets())
    files, api = files_of(folder), HfApi(token=os.environ.get(TOKEN) or False)
    size = sum((folder / path).stat().st_size for path in files)
    print(f"{folder} -> {kind} {repo} at {api.endpoint}, {'private' if private else 'for everybody to see'}")
    for path in files:
        print(f"  {(folder / path).stat().st_size:>12,}  {path.as_posix()}")
    print(f"{len(files)} files, {size:,} bytes.")
    if not yes:
        print("Nothing was sent. Add --yes to upload it.")
        return False
    if not os.environ.get(TOKEN):
        raise ConfigError(
            f"{TOKEN} is not set. Give a token of the hub that may write to {repo} in that variable."
        )
    try:
        api.create_repo(repo, repo_type=kind, private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=repo, folder_path=folder, repo_type=kind, commit_message="Publish with Contrapose"
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise BackendError(
            f"{repo} at {api.endpoint} did not take it: {_without_secrets(str(error))} Check name, token "
            "and network, and push again: files that are there already are not sent twice."
        ) from None
    print(f"Uploaded: {_without_secrets(str(done))}")
    return True


def _kind(folder: Path) -> str:
    if (folder / DESCRIPTOR).is_file() and (folder / SUMS).is_file():
        if changed := changed_files(folder):
            raise TableError(
                f"{folder}: {', '.join(changed)} differ from {SUMS}. Publish again, so that others can check."
            )
        return "dataset"
    if (folder / MODULES).is_file() and (folder / "README.md").is_file():
        return "model"
    raise ConfigError(
        f"'{folder}' is neither a package ({DESCRIPTOR}, {SUMS}) nor an encoder with a model card "
        f"({MODULES}, README.md). Write one with make publish."
    )


def _without_secrets(text: str) -> str:
    for what, value in secrets().items():
        text = text.replace(value, f"({what})")
    return text
