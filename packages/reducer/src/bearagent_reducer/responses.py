"""Whether a complete answer of a model is one that the run can go on with."""

from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_domain.models import FinishReason, ModelResponse
from bearagent_domain.tools import CALLS_PER_TURN_MAX


def response_error(response: ModelResponse) -> ErrorInfo | None:
    """What ends the run although the model answered, or None. Facts first: the answer is recorded all the same."""
    if response.finish is FinishReason.LENGTH:
        message = "The answer was cut by the output limit. Allow more with a profile's agent.max_output_tokens."
        return failure(ErrorCode.MODEL_OUTPUT_CUT, message)
    if response.finish is FinishReason.CONTENT_FILTER:
        return failure(ErrorCode.MODEL_REFUSED, "The model refused to answer.")
    if len(response.calls) > CALLS_PER_TURN_MAX:
        message = f"The model asked for {len(response.calls)} tool calls in one turn; {CALLS_PER_TURN_MAX} are allowed."
        return failure(ErrorCode.TOO_MANY_TOOL_CALLS, message)
    if response.finish is FinishReason.TOOL_CALLS and not response.calls:
        return failure(ErrorCode.PROVIDER_PROTOCOL, "The model announced tool calls and sent none.")
    if not response.calls and not response.text.strip():
        return failure(ErrorCode.MODEL_EMPTY_RESPONSE, "The model answered with nothing.")
    return None
