import subprocess
import sys


def test_the_plugin_loads_no_module_of_the_package():
    # Snakemake loads it before the workflow puts its own code in front of an installed package.
    code = "import sys, snakemake_logger_plugin_contrapose; print([*sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'snakemake_logger_plugin_contrapose'" in loaded
    assert "'contrapose'" not in loaded
