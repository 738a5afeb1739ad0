"""`make plan`: what building the chosen studies in the chosen world will take, before anything is built."""

import argparse
import sys
from pathlib import Path

from contrapose.errors import ContraposeError
from contrapose.forecast.compute import GPUS, UTILISATION, Device, gpu
from contrapose.forecast.report import forecast
from contrapose.plan import Plan
from contrapose.project.given import given_config

HOME = Path(__file__).parents[3]  # the checkout that this runs from


def main(arguments: list[str] | None = None) -> None:
    """Print the forecast."""
    parser = argparse.ArgumentParser(prog="python -m contrapose.forecast", description=__doc__)
    parser.add_argument(
        "--config", nargs="*", default=[], metavar="key=value", help="as for snakemake --config"
    )
    parser.add_argument("--gpu", choices=GPUS, default="a100", help="whose peak speed counts (default: a100)")
    parser.add_argument("--tflops", type=float, help="peak of another device, in 10^12 operations a second")
    parser.add_argument(
        "--utilisation", type=float, default=UTILISATION, help="share of the peak that is reached"
    )
    given = parser.parse_args(arguments)
    if not 0 < given.utilisation <= 1 or (given.tflops is not None and given.tflops <= 0):
        parser.error("--utilisation is a share above 0 and up to 1, --tflops is above 0")
    device = gpu(given.gpu, given.utilisation)
    if given.tflops:
        device = Device("device", given.tflops, given.tflops, given.utilisation)
    try:
        print(forecast(Plan(given_config(given.config), HOME), device))
    except ContraposeError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
