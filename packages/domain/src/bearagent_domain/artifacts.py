"""The record of a file that a tool wrote: which bytes, where below the workspace; no content, no host path."""

from typing import Annotated, Literal

from msgspec import Meta

from bearagent_domain.documents import Rec
from bearagent_domain.ids import N0, ArtifactId, Sha

RelativePath = Annotated[str, Meta(min_length=1, max_length=1_024)]


class Artifact(Rec, frozen=True, kw_only=True):
    """One finished write. Each write makes a new id, also when the bytes are the same as before."""

    artifact_id: ArtifactId
    path: RelativePath
    kind: Literal["text"] = "text"
    encoding: Literal["utf-8"] = "utf-8"
    size: N0
    sha256: Sha
