"""Judge the text of every pair: did a human write it, or a machine?"""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.score.identification import Writings, human_texts, identified, teacher
from contrapose.score.jobs import IdentificationJob
from contrapose.stage import input_files, log_to, provenance
from contrapose.state import remove_state
from contrapose.tables import HELD_OUT, IDENTIFIED, write_table
from contrapose.train.checkpoint import Checkpoints

with (
    log_to(snakemake.log[0], snakemake.threads),
    or_left_out(snakemake, identified=IDENTIFIED, held_out=HELD_OUT),
):
    job, resources = IdentificationJob.model_validate_json(snakemake.params.settings), snakemake.resources
    pairs, *dev = map(read_pairs, [snakemake.input.pairs, *input_files(snakemake, "dev")])
    human, *dev_human = map(human_texts, input_files(snakemake, "human"), job.human)
    held_out = Writings.of(dev[0], dev_human[0]) if dev else None
    checkpoints = Checkpoints.of(resources)
    teach = teacher(job, resources.encoder, resources.device, checkpoints)
    judged, unseen = identified(pairs, human, held_out, job.identifier, teach)
    write_table(unseen, snakemake.output.held_out, HELD_OUT, provenance(snakemake))
    write_table(judged, snakemake.output.identified, IDENTIFIED, provenance(snakemake))
    remove_state(checkpoints.state)
