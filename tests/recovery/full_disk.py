"""Runs on a disk that is full, and again when it is not: `python full_disk.py MACHINE DISK KIB_LEFT`.

DISK, a small file system of its own, holds the record (`record`) or the outputs (`outputs`). Prints one JSON object:
how the run on the full disk ended (`code`, `shown`, `told`), what `verify` says of each run then (`verified`), and how
the next run ended, with space again (`next_code`).
"""

import json
import sys
from pathlib import Path

from tests.e2e.installed_command import Machine

OBJECTIVE = "Read docs/ and write a report to outputs/report.md"
FILLER_BYTES = 4_096


def fill(disk: Path, kib_left: int) -> Path:
    """A file that takes all of the disk but `kib_left`."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(FILLER_BYTES))
        except OSError:
            file.truncate(max(0, file.tell() - kib_left * 1_024))
    return filler


def main(machine: Machine, disk: Path, kib_left: int) -> None:
    assert machine.bearagent("run", OBJECTIVE).returncode == 0
    filler = fill(disk, kib_left)
    ended = machine.bearagent("run", OBJECTIVE, "--json", "--quiet")
    on_disk = {str(path.relative_to(disk)): path.stat().st_size for path in disk.rglob("*") if path.is_file()}
    filler.unlink()
    runs = json.loads(machine.bearagent("list", "--json").stdout)["runs"]
    verified = [machine.bearagent("verify", line["run"]["run_id"]).returncode for line in runs]
    report = {
        "code": ended.returncode,
        "shown": json.loads(ended.stdout),
        "told": ended.stderr,
        "files": sorted(on_disk),
        "verified": verified,
        "next_code": machine.bearagent("run", OBJECTIVE).returncode,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    folder, place = Path(sys.argv[1]), Path(sys.argv[2])
    variables = {"BEARAGENT_DB": str(place / "record.db")} if place.name == "record" else {}
    main(Machine(folder / "home", folder / "workspace", variables), place, int(sys.argv[3]))
