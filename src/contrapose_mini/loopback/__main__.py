"""`python -m contrapose_mini.loopback --port 8000 [--knowledge results/.../knowledge*.parquet]`."""

import argparse
import threading
from pathlib import Path

from contrapose_mini.loopback import endpoint


def main() -> None:
    """Run the endpoint until it is interrupted."""
    parser = argparse.ArgumentParser(prog="contrapose_mini.loopback", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--knowledge", type=Path, nargs="*", default=[], help="files of the mini world")
    arguments = parser.parse_args()
    with endpoint(*arguments.knowledge, port=arguments.port) as base_url:
        print(base_url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
