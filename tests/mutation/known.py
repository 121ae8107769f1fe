"""Mistakes that people have thought of, found in the source by their text, however it is broken into lines."""

import re
from dataclasses import dataclass
from pathlib import Path

from mutations import Mutation


@dataclass
class Known:
    name: str
    path: str
    breaks: str
    old: str
    new: str

    def found(self):
        """The source, and the one place in it; None if the place is gone, or there are several."""
        source = Path(self.path).read_text() if Path(self.path).exists() else ""
        pieces = re.findall(r"\w+|[^\w\s]", self.old)
        places = list(re.finditer(r"\s*".join(map(re.escape, pieces)), source)) if pieces else []
        if len(places) != 1:
            return source, None
        return source, Mutation("known", places[0].start(), places[0].end(), self.new)


def known_mistakes(file):
    """Paragraphs: a line with name, path and what is broken; lines of the old text after "- ", of the new after "+ "."""
    for paragraph in re.split(r"\n\s*\n", file.read_text()):
        lines = [each for each in paragraph.splitlines() if not each.startswith("#")]
        if not lines:
            continue
        name, path, breaks = lines[0].split(" ", 2)
        take = lambda sign: "\n".join(each[2:] for each in lines[1:] if each.startswith(sign))
        yield Known(name, path, breaks, take("-"), take("+"))
