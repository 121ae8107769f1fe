"""tests/mutation/run: see there."""

import argparse
import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from known import known_mistakes
from mutations import mutations_of
from trial import Bench, targets_of

HERE = Path(__file__).parent


def say(text):
    print(text, file=sys.stderr, flush=True)


def report(**fields):
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def equivalents():
    """What was looked at and changes nothing: lines of a path, a change and a reason, parted by " | "."""
    lines = (HERE / "equivalent.txt").read_text().splitlines()
    rows = [each.split(" | ") for each in lines if each and not each.startswith("#")]
    return {(path, " | ".join(change)): why for path, *change, why in rows}


class Candidate:
    def __init__(self, path, source, mutation, name=None, known_as=None):
        self.path = path
        self.mutated = mutation.applied(source)
        self.line = source.count("\n", 0, mutation.begin) + 1
        self.kind = mutation.kind
        self.change = mutation.change(source)
        self.name = name or hashlib.sha256((path + self.change).encode()).hexdigest()[:8]
        self.breaks = known_as

    def told(self):
        told = {"mutant": self.name, "file": f"{self.path}:{self.line}", "kind": self.kind, "change": self.change}
        if self.breaks:
            told["breaks"] = self.breaks
        return told


def files_of(room):
    rooms = [Path("src") / room] if room else sorted(each for each in Path("src").iterdir() if each.is_dir())
    for each in rooms:
        if not each.is_dir():
            sys.exit(f"no such room: {each}")
    return [str(path) for each in rooms for path in sorted(each.rglob("*.cpp")) if path.name != "main.cpp"]


def drawn(room, count, seed):
    """Without end, in the order of the seed: what does not compile is passed over."""
    every = []
    for path in files_of(room):
        source = Path(path).read_text()
        every += [(path, source, each) for each in mutations_of(source)]
    random.Random(seed).shuffle(every)
    for path, source, each in every:
        yield Candidate(path, source, each)


def known(room, names):
    prefix = f"src/{room}/" if room else "src/"
    for mistake in known_mistakes(HERE / "known.txt"):
        if (names and mistake.name not in names) or (not names and not mistake.path.startswith(prefix)):
            continue
        source, found = mistake.found()
        if found is None:
            yield mistake
        else:
            yield Candidate(mistake.path, source, found, mistake.name, mistake.breaks)


def control(bench, path):
    """Tests that fail without any mistake would notice every one."""
    if not bench.compile(path, Path(path).read_text()):
        sys.exit(f"{path} does not compile by itself")
    failed = bench.noticed_by(path, units_only=True)
    if failed:
        sys.exit(f"{failed} fails though nothing is wrong with {path}")


def main():
    parser = argparse.ArgumentParser(prog="tests/mutation/run")
    parser.add_argument("room", nargs="?", default="")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", nargs="?", const="", default=None)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()

    hand_made = asked.known is not None
    if hand_made:
        candidates = list(known(asked.room, set(filter(None, asked.known.split(",")))))
        wanted = len(candidates)
        if not candidates:
            sys.exit("no such mistake in known.txt")
    else:
        candidates = drawn(asked.room, asked.count, asked.seed)
        wanted = asked.count

    paths = [each.path for each in candidates if isinstance(each, Candidate)] if hand_made else files_of(asked.room)
    if not asked.list:
        targets = targets_of(paths)
        say("building " + " ".join(targets))
        build = f'source tests/support/prepare.sh; build release {" ".join(targets)}'
        subprocess.run(["bash", "-c", build], check=True, stdout=sys.stderr)
        bench = Bench()
        if paths:
            control(bench, paths[0])
    known_equivalent = equivalents()

    tried = killed = equivalent = stale = 0
    for each in candidates:
        if tried >= wanted:
            break
        if not isinstance(each, Candidate):
            stale += 1
            report(mutant=each.name, file=each.path, killed=False, stale=True)
            continue
        why = known_equivalent.get((each.path, each.change))
        if asked.list:
            tried += 1
            report(**each.told(), **({"equivalent": why} if why else {}))
            continue
        if why:
            tried += 1
            equivalent += 1
            report(**each.told(), killed=False, equivalent=why)
            continue
        say(f"{tried + 1}/{wanted} {each.path}:{each.line}: {each.change}")
        if not bench.compile(each.path, each.mutated):
            if hand_made:
                stale += 1
                report(**each.told(), killed=False, stale=True)
            continue
        by = bench.noticed_by(each.path)
        tried += 1
        killed += by is not None
        report(**each.told(), killed=by is not None, by=by)
    counted = tried - equivalent
    score = round(killed / counted, 3) if counted else 1.0
    if not asked.list:
        report(room=asked.room or "all", mutants=tried, killed=killed, equivalent=equivalent, stale=stale, score=score)
    return 1 if stale or (hand_made and not asked.list and killed < counted) else 0


if __name__ == "__main__":
    sys.exit(main())
