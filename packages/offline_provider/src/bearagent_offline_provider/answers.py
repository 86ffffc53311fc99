"""The final answer in plain words: what was read, where the report is, and what it is not."""

from typing import NoReturn

from bearagent_domain.errors import ErrorCode, failure
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


def refuse_without_write(objective: Objective) -> NoReturn:
    """Raise `ProviderFailed` (`tool_not_allowed`): where nothing may be written there is no report, so no work done."""
    raise ProviderFailed(failure(ErrorCode.TOOL_NOT_ALLOWED, phrases_in(objective.language).write_not_offered))


def _joined(sentences: list[str], delivery: Delivery, objective: Objective) -> str:
    phrases = phrases_in(objective.language)
    if delivery.denied:
        sentences.append(phrases.answer_denied)
    if delivery.skipped:
        sentences.append(phrases.answer_skipped.format(delivery.skipped))
    sentences.append(phrases.answer_nature)
    return ("" if objective.language == "zh" else " ").join(sentences)
