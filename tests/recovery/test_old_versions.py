"""A record with an event of an older version: read as today's event, kept as the bytes that were written."""

from contextlib import closing
from pathlib import Path

import msgspec

from bearagent_domain.events import RunStarted
from bearagent_domain.json_values import canonical_json
from bearagent_domain.records import RecordBody, RecordedEvent, chained
from bearagent_domain.runs import RunStatus
from bearagent_ports import Append
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record, folded
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun
from bearagent_testkit.sample_runs import SAMPLE_BINDING


def test_a_log_with_a_version_0_event_verifies_folds_and_keeps_its_bytes(tmp_path: Path) -> None:
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()
    created, old = run.records[0], started_version_0(run.records[0])
    with closing(SqliteEventStore.open(tmp_path / "record.db")) as store:
        store.append((appended(created, old),))
        records = store.read(run.run_id)
        view = QueryService(store).inspect(run.run_id)
        shown = QueryService(store).events(run.run_id, after=1).events
    assert records[1].event == RunStarted()
    assert records[1].body == old.body
    assert folded(records).status is view.status is RunStatus.RUNNING
    assert [(event.type, event.version, event.payload) for event in shown] == [("run.started", 0, {"note": "go"})]


def started_version_0(created: RecordedEvent) -> RecordedEvent:
    """`run.started` as version 0 wrote it, sealed behind `created`."""
    body = canonical_json(
        RecordBody(
            run_id=created.run_id,
            sequence=2,
            type="run.started",
            version=0,
            recorded_at=created.recorded_at,
            activity_id=None,
            payload=msgspec.Raw(b'{"note":"go"}'),
        )
    )
    return msgspec.structs.replace(
        created,
        sequence=2,
        event=RunStarted(),
        body=body,
        prev_hash=created.hash,
        hash=chained(created.hash, body),
    )


def appended(*records: RecordedEvent) -> Append:
    """All of a run as one append, with the rows after it."""
    rows, state = RowProjection(), NEW_RUN
    for record in records:
        state = evolved_record(state, record)
        rows.add(record, state)
    return Append(
        run_id=records[0].run_id, expected_sequence=0, events=records, rows=rows.take(), binding=SAMPLE_BINDING
    )
