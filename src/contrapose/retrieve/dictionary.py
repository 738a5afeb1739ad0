"""Read a paraphrase dictionary of the world into tables; see `convert_dictionary`."""

from typing import TYPE_CHECKING, Annotated

from contrapose.settings.worlds import DictionaryFiles
from contrapose.steps import DataFolder, Outputs, into, planned
from contrapose.tables import DICTIONARY_LINES, PHRASES, RULES, TableWriter

if TYPE_CHECKING:
    from contrapose.project import Project


class Dictionary(DictionaryFiles):
    """Where a dictionary is, without the note."""

    @classmethod
    @planned
    def of(cls, project: "Project", dictionary: str) -> DictionaryFiles:
        """Return an entry of `dictionaries`."""
        from contrapose.project.data import dictionary_source

        return dictionary_source(project, dictionary).model_copy(update={"note": ""})


def build(
    spec: Dictionary,
    data: DataFolder,
    phrases: Annotated[TableWriter, into("phrases", PHRASES)],
    rules: Annotated[TableWriter, into("rules", RULES)],
) -> Annotated[tuple, Outputs(lines=DICTIONARY_LINES)]:
    """Read the files of a dictionary and write its phrases and rules, of any size."""
    from contrapose.retrieve.dictionaries import convert_dictionary
    from contrapose.retrieve.dictionary_lines import dictionary_files

    files = [path for found in dictionary_files(spec, data).values() for path in found]
    with phrases, rules:
        return (convert_dictionary(files, spec, phrases, rules),)
