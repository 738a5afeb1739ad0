"""Read a paraphrase dictionary of the world into tables."""

from pathlib import Path

from contrapose.retrieve.dictionaries import convert_dictionary
from contrapose.retrieve.dictionary_lines import dictionary_files
from contrapose.settings.worlds import DictionaryFiles
from contrapose.stage import log_to, provenance
from contrapose.tables import DICTIONARY_LINES, PHRASES, RULES, TableWriter, write_table

with log_to(snakemake.log[0]):
    source = DictionaryFiles.model_validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    files = [path for found in dictionary_files(source, data).values() for path in found]
    made = provenance(snakemake)
    with (
        TableWriter(snakemake.output.phrases, PHRASES, made) as phrases,
        TableWriter(snakemake.output.rules, RULES, made) as rules,
    ):
        lines = convert_dictionary(files, source, phrases, rules)
    write_table(lines, snakemake.output.lines, DICTIONARY_LINES, made)
