"""Answers from a file instead of an endpoint: same requests, outcomes and parser; nothing is sent."""

import pandas as pd

from contrapose.generate.client import Client
from contrapose.generate.outcomes import ANSWER, UNRECORDED, Answer, Reply
from contrapose.generate.prompts import Request
from contrapose.settings.worlds import Connection


class Recorded(Client):
    """A client that knows the reply to every request, so that it needs no journal, ledger or endpoint.

    A request is answered by its prompt and its sentence; differences in white space are ignored.
    """

    def __init__(self, connection: Connection, answers: pd.DataFrame):
        self.connection = connection
        keys = zip(answers.prompt, answers.sentence, strict=True)
        self._answers = dict(zip(keys, answers.answer, strict=True))

    def known(self, request: Request) -> Reply:
        """Return the recorded answer; without one the sentence fails."""
        text = self._answers.get((request.prompt, " ".join(request.sentence.split())))
        if text is None:
            return Reply(UNRECORDED)
        return Reply(ANSWER, Answer(text, "stop", model=self.connection.role))
