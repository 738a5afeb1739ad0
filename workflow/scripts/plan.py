"""Print what building the studies will take, and keep it as the log; nothing is built."""

import json
from pathlib import Path

from contrapose.plan import Plan

from contrapose.forecast.compute import gpu
from contrapose.forecast.report import forecast
from contrapose.report.files import write_text

plan = Plan(json.loads(snakemake.params.settings), Path(snakemake.resources.home))
text = forecast(plan, gpu(), snakemake.resources.python)
write_text(text, snakemake.log[0])
print(text)
