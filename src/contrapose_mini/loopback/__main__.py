"""`python -m contrapose_mini.loopback --port 8000`."""

import argparse
import threading

from contrapose_mini.loopback import endpoint


def main() -> None:
    """Run the endpoint until it is interrupted."""
    parser = argparse.ArgumentParser(prog="contrapose_mini.loopback", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    with endpoint(parser.parse_args().port) as base_url:
        print(base_url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
