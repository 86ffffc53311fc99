"""The final answer in plain words: what was read, where the report is, and what it is not."""

from bearagent_domain.errors import failure
from bearagent_domain.messages import ToolAnswer
from bearagent_offline_provider.notes import Delivery
from bearagent_offline_provider.objectives import Objective
from bearagent_offline_provider.phrases import phrases_in
from bearagent_ports import ProviderFailed


def answer_after_write(delivery: Delivery, objective: Objective, written: ToolAnswer) -> str:
    """What there is to say when the report is written.

    Raises `ProviderFailed` when the write was refused or failed: without its report the run has not done its work.
    """
    phrases = phrases_in(objective.language)
    if written.error is not None:
        error = written.error
        message = phrases.write_failed.format(output=objective.output, message=error.message)
        raise ProviderFailed(failure(error.code, message))
    if delivery.documents:
        sentences = [
            phrases.answer.format(
                documents=delivery.documents,
                size=f"{delivery.size:,}",
                output=objective.output,
                citations=delivery.citations,
            )
        ]
    else:
        sentences = [phrases.answer_nothing.format(output=objective.output)]
    if objective.is_redirected:
        sentences.append(phrases.answer_redirected)
    return _joined(sentences, delivery, objective)


def answer_without_write(delivery: Delivery, objective: Objective) -> str:
    """What there is to say when the run does not offer to write."""
    return _joined([phrases_in(objective.language).write_not_offered.format(delivery.documents)], delivery, objective)


def _joined(sentences: list[str], delivery: Delivery, objective: Objective) -> str:
    phrases = phrases_in(objective.language)
    if delivery.denied:
        sentences.append(phrases.answer_denied)
    if delivery.skipped:
        sentences.append(phrases.answer_skipped.format(delivery.skipped))
    sentences.append(phrases.answer_nature)
    return ("" if objective.language == "zh" else " ").join(sentences)
