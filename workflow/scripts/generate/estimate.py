"""Print an estimate of the requests of all studies, and keep it as the log; nothing is sent."""

from contrapose.jobs.step import result
from contrapose.report.files import write_text

table = result(snakemake).to_string(index=False)
write_text(table + "\n", snakemake.log[0])
print(table)
