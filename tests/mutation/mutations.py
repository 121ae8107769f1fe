"""Generic mistakes in a C++ source file: what each one changes, found by a small reading of the text.

The sources are laid out by clang-format, which is what makes so little of a parser enough. What does not compile is
left out later: it tells nothing of the tests."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    kind: str
    begin: int  # of what is replaced, in characters
    end: int
    text: str  # what stands there instead

    def applied(self, source):
        return source[: self.begin] + self.text + source[self.end :]

    def change(self, source):
        """One line: what stood there, and what stands there now."""
        first = source.rfind("\n", 0, self.begin) + 1
        last = source.find("\n", self.end)
        last = len(source) if last < 0 else last
        before = " ".join(source[first:last].split())
        after = " ".join((source[first : self.begin] + self.text + source[self.end : last]).split())
        return f"{before} -> {after or 'nothing'}"


LITERAL = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#[^\n]*", re.S | re.M
)
# Digits may be parted by quotes, which are no characters: 1'000.
PARTED = re.compile(r"(?<=\d)'(?=\d)")


def code_of(source):
    """The source with the same places, and blanks where comments, texts and directives stand."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    return LITERAL.sub(blank, PARTED.sub("0", source))


def closing(code, at):
    """The place of the bracket that closes the one at `at`; None if there is none."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = []
    for i in range(at, len(code)):
        if code[i] in pairs:
            depth.append(pairs[code[i]])
        elif code[i] in ")}]":
            if not depth or depth.pop() != code[i]:
                return None
            if not depth:
                return i
    return None


WAKES = re.compile(r"\b(wake|complete|notify|emit|cancel|finish|tell|fire|serve|signal|resume|post)\w*\s*\(")
RESETS = re.compile(r"\.(reset|clear|erase|pop_front|pop_back)\s*\(|=\s*\{\}\s*;|=\s*(nullptr|false|0)\s*;|std::exchange\(")
NO_STATEMENT = re.compile(
    r"(return|co_return|if|else|for|while|do|switch|case|default|break|continue|using|namespace|struct|class|enum|throw|"
    r"template|static|const|constexpr|auto|public|private|protected|friend|typedef|goto|try|catch|explicit|inline|"
    r"virtual|assert|static_assert|extern|mutable|unsigned|int|bool|char|double|long)\b|[A-Z_]+\(|static_cast<void>"
)


def dropped_statements(code):
    for found in re.finditer(r"(?<=[;{})\n])[ \t]*\n?([ \t]+)(?=[A-Za-z_*+\-(])", code):
        begin = found.end()
        before = code[:begin].rstrip()
        if not before or before[-1] not in ";{})":
            continue
        depth = 0
        end = begin
        while end < len(code) and (depth > 0 or code[end] != ";"):
            depth += code[end] in "({["
            depth -= code[end] in ")}]"
            if depth < 0:
                break
            end += 1
        if depth != 0 or end >= len(code) or code[end] != ";":
            continue
        text = code[begin : end + 1]
        if NO_STATEMENT.match(text) or not re.search(r"\(|=|\+\+|--", text):
            continue
        if re.match(r"[\w:<>,&* ]+?[\w>]\s+[&*]?\w+(\s*[=;{]|\()", text) and not text.startswith("co_await "):
            continue
        # The rest of an expression, a constructor's or an aggregate's list.
        if re.match(r"([*+\-(]|--|\+\+)(\s|$)", text) or text.startswith("->"):
            continue
        if text.startswith(".") or re.match(r"\w+\([^)]*\)\s*,", text):
            continue
        kind = "wake" if WAKES.search(text) else "reset" if RESETS.search(text) else "statement"
        yield Mutation(kind, begin, end + 1, ";" if before.endswith(")") else "")


def negated_conditions(code):
    for found in re.finditer(r"\b(if|while)\s*(?:constexpr\s*)?\(", code):
        if "constexpr" in found.group():
            continue
        begin = found.end()
        end = closing(code, begin - 1)
        if end is None:
            continue
        condition = code[begin:end]
        if ";" in condition:
            begin += condition.rindex(";") + 1
        elif re.match(r"\s*(const\b|auto\b)", condition):
            continue
        yield Mutation("condition", begin, end, (" " if ";" in condition else "") + "!(" + "\0" + ")")


def shifted_by_one(code):
    for found in re.finditer(r" (<=|>=|<|>) ", code):
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[found.group(1)]
        yield Mutation("off by one", found.start() + 1, found.end() - 1, other)
    for found in re.finditer(r"(?<![\w.\"'])(\d+)(?![\w.'])", code):
        number = int(found.group(1))
        if number < 10_000:
            yield Mutation("off by one", found.start(), found.end(), str(number + 1))
    for found in re.finditer(r" [+-] 1\b(?!\w)", code):
        yield Mutation("off by one", found.start(), found.end(), "")


def arguments(code, at):
    """The places of the arguments of the call whose bracket is at `at`."""
    end = closing(code, at)
    if end is None:
        return []
    places = []
    depth = 0
    begin = at + 1
    for i in range(at + 1, end + 1):
        if i == end or (code[i] == "," and depth == 0):
            places.append((begin, i))
            begin = i + 1
        elif code[i] in "({[":
            depth += 1
        elif code[i] in ")}]":
            depth -= 1
    return places


# Names and short calls of them: longer arguments are seldom of one type.
PLAIN = re.compile(r"\s*[*&]?[\w.:]+(->\w+)?(\(\))?\s*$")


def swapped_arguments(code):
    for found in re.finditer(r"\b[\w:]+\(", code):
        name = found.group()[:-1]
        if name in ("if", "while", "for", "switch", "return", "catch", "sizeof", "static_cast", "std::min", "std::max"):
            continue
        places = arguments(code, found.end() - 1)
        for (a, b), (c, d) in zip(places, places[1:]):
            first, second = code[a:b], code[c:d]
            if PLAIN.match(first) and PLAIN.match(second) and first.strip() != second.strip():
                blank = second[: len(second) - len(second.lstrip())]
                yield Mutation("arguments", a, d, second.strip() + "," + blank + first.strip())


def ignored_errors(code):
    compared = r"(?:==|!=)\s*(?:answer|errc|condition|outcome|verdict)::\w+"
    for found in re.finditer(r"[\w.()\->:*]+\s" + compared, code):
        wanted = "false" if "==" in found.group() else "true"
        text = found.group()
        if text.count("(") != text.count(")"):
            continue
        yield Mutation("error kind", found.start(), found.end(), wanted)
    for found in re.finditer(r" (\|\||&&) ", code):
        other = "&&" if found.group(1) == "||" else "||"
        yield Mutation("condition", found.start() + 1, found.end() - 1, other)


KINDS = (dropped_statements, negated_conditions, shifted_by_one, swapped_arguments, ignored_errors)


def inside_functions(code):
    """Where function bodies are: outside of them stand declarations and tables."""
    bodies = []
    for found in re.finditer(r"\)(?:\s*(?:const|noexcept|override|&&|&|mutable))*(?:\s*->\s*[\w:<>&* ,]+)?\s*\{", code):
        end = closing(code, found.end() - 1)
        if end is not None:
            bodies.append((found.end(), end))
    return lambda at: any(begin <= at < end for begin, end in bodies)


def mutations_of(source):
    code = code_of(source)
    inside = inside_functions(code)
    for kind in KINDS:
        for each in kind(code):
            if inside(each.begin):
                text = each.text.replace("\0", source[each.begin : each.end].strip())
                yield Mutation(each.kind, each.begin, each.end, text)
