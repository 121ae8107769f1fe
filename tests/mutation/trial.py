"""One mistake on trial: compiled, with all that its unit holds besides, in place of the pristine object, and run against
whatever can see it."""

import atexit
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

BUILD = Path("build/release")
WORK = Path("build/mutation") / str(os.getpid())  # several may run at a time

# Which programs can see a file, by the first row that fits; SIMULATED are campaigns of the simulator.
WITNESSES = [
    (r"session/", ["session", "lock", "queue", "item_lock"], ["lock", "queue", "item_lock"]),
    (r"lock/", ["lock", "item_lock"], ["lock"]),
    (r"queue/", ["queue"], ["queue"]),
    (r"item_lock/", ["item_lock", "versioned"], ["item_lock"]),
    (r"item/", ["item_lock", "versioned", "wall_clock_lock"], ["item_lock", "versioned"]),
    (r"versioned/", ["versioned", "item_lock"], ["versioned", "item_lock"]),
    (r"transaction/", ["transaction"], ["transaction"]),
    (r"wall_clock_lock/", ["wall_clock_lock"], ["wall_clock"]),
    (r"database/", ["database", "versioned", "lock"], ["lock"]),
    (r"client/", ["client", "client/credentials"], []),
    (r"http/", ["http", "client"], []),
    (r"aws/", ["aws", "client", "client/credentials"], []),
    (r"dynamodb/mapping", ["versioned"], []),
    (r"dynamodb/", ["dynamodb", "local/codec", "local", "client"], []),
    (r"local/codec/", ["local/codec", "local"], []),
    (r"local/", ["local"], []),
    (r"runtime/", ["runtime", "lock"], []),
    (r"testing/", ["testing", "lock"], []),
    (r"metrics/", ["metrics"], []),
]
ENUMERATED = ("lock", "queue", "item_lock", "wall_clock", "versioned", "transaction")
PATIENCE = 180  # seconds for one program: a mistake that makes it go on for ever is noticed


def program_of(unit):
    return "unit_" + unit.replace("/", "_")


PROGRAMS = {program_of(unit): unit for _, units, _ in WITNESSES for unit in units}


def witnesses_of(path):
    for pattern, units, simulated in WITNESSES:
        if re.search("^src/" + pattern, path):
            return [u for u in units if (Path("tests/unit") / u).is_dir()], simulated
    return [], []


def targets_of(paths):
    wanted = set()
    for path in paths:
        units, simulated = witnesses_of(path)
        wanted.update(program_of(unit) for unit in units)
        if simulated:
            wanted.add("simulation")
    return sorted(wanted)


class Bench:
    """What the build knows of files and programs."""

    def __init__(self):
        WORK.mkdir(parents=True, exist_ok=True)
        atexit.register(shutil.rmtree, WORK, ignore_errors=True)
        self.units = {}  # source file -> the text of the unit that holds it, and how that is compiled
        top = str(Path.cwd()) + "/"
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            command = shlex.split(entry["command"])
            alone = f'#include "{entry["file"]}"\n'
            unit = Path(entry["file"]).read_text() if "/Unity/" in entry["file"] else alone
            for each in re.findall(r'#include "([^"]+)"', unit):
                if each.startswith(top + "src/"):
                    self.units[each.removeprefix(top)] = unit, command
        self.links = {}

    def compile(self, path, source):
        """False if it is no C++."""
        mutated = WORK.resolve() / Path(path).name
        mutated.write_text(source)
        text, command = self.units[path]
        # The whole unit: its other files may hold copies of the function that were inlined.
        unit = WORK.resolve() / "mutated_unit.cpp"
        unit.write_text(text.replace(f'"{Path(path).resolve()}"', f'"{mutated}"'))
        command = [each for each in command if each != "-Werror" and not re.match(r"-O\d|-W\w", each)]
        at = command.index("-o")
        self.original = command[at + 1]
        command[at + 1 : at + 4] = [str(WORK.resolve() / "mutant.o"), "-c", str(unit)]
        command[1:1] = ["-O1", "-w", "-I" + str(Path(path).parent.resolve())]
        return subprocess.run(command, cwd=BUILD, capture_output=True).returncode == 0

    def link(self, target):
        if target not in self.links:
            asked = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True)
            line = [each for each in asked.stdout.splitlines() if f"-o {self.place(target)} " in each + " "][-1]
            self.links[target] = shlex.split(re.split(r" && ", line.removeprefix(": && "))[0])
        command = list(self.links[target])
        if self.original not in command:
            return None
        at = command.index(self.original)
        command[at] = str(WORK.resolve() / "mutant.o")
        program = WORK.resolve() / target
        command[command.index("-o") + 1] = str(program)
        subprocess.run(command, cwd=BUILD, check=True, capture_output=True)
        return program

    @staticmethod
    def place(target):
        return "tests/simulation/simulation" if target == "simulation" else f"tests/unit/{PROGRAMS[target]}/{target}"

    def noticed_by(self, path, units_only=False):
        """The name of what failed, or None."""
        units, simulated = witnesses_of(path)
        for unit in units:
            program = self.link(program_of(unit))
            if program and fails([program, "--abort"]):
                return "unit/" + unit
        if units_only:
            return None
        program = self.link("simulation") if simulated else None
        for primitive in simulated if program else []:
            if fails([program, primitive, "--seeds", "300", "--no-shrink"]):
                return "simulation/" + primitive
        for primitive in simulated if program else []:
            if primitive in ENUMERATED and fails([program, primitive, "--fault-points"]):
                return "fault-points/" + primitive
        return None


def fails(command):
    try:
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0
