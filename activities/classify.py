"""The local activity that classifies a question."""

from __future__ import annotations

from temporalio import activity

from activities.invalid_question import invalid_question
from pointsman.classification import Classifier
from pointsman.configuration import Configuration
from pointsman.messages import Question
from pointsman.routing import UnknownName, classify, second_opinion
from pointsman.steps import Classified


class Classify:
    """Classifies with the rules of the process it runs in."""

    def __init__(self, configuration: Configuration, classifier: Classifier) -> None:
        """Use `classifier` for questions that name no task."""
        self._configuration = configuration
        self._classifier = classifier

    @activity.defn
    async def classify(self, question: Question) -> Classified:
        """The question's type, and whom to ask besides; an unknown task ends the question as invalid."""
        try:
            classification = classify(question, self._configuration, self._classifier)
        except UnknownName as fault:
            raise invalid_question(fault) from None
        return Classified(
            classification=classification,
            second_opinion=second_opinion(question, classification, self._configuration),
        )
