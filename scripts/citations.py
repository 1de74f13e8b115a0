"""What the sources cite: requirements, decisions, and the rules of docs/Spec.

check-requirements, check-links and check-spec read them through this module.
"""

import pathlib
import re

FOLDERS = ("lib", "include", "tools", "test", "benchmarks", "examples", "docs", "scripts", "cmake", ".ci")
# Files that are data, which cite nothing.
BINARY = {".tflite", ".nncache", ".npy", ".bin", ".png", ".pyc"}

ID = re.compile(r"(?<![A-Za-z0-9_])([A-M]-[0-9]{3})(?![0-9])")
RANGE = re.compile(r"(?<![A-Za-z0-9_])([A-M])-([0-9]{3})(?![0-9])(?: to (?:([A-M])-)?([0-9]{3})(?![0-9]))?")
# The name of a test: K038_RoundTripOfASmallModel.
TITLE = re.compile(r"(?<![A-Za-z0-9])([A-M])([0-9]{3})_")
MARK = re.compile(r"\*(Not built|Not testable here|No test names it)[.:]?\*")
# "(decisions 9, 10)", also where a comment goes on in the next line.
DECISIONS = re.compile(r"\b[Dd]ecisions?(?:\s|//+|#)+([0-9]+(?:(?:, | and | to )[0-9]+)*)\b")
# "pool C2, C3" and "softmax C3, log_softmax C2 to C4": a group holds until the next.
LABEL = re.compile(r"(?:([a-z][a-z0-9_]*) )?C([0-9]+)(?: to C([0-9]+))?")
LABELS = re.compile(r"(?<![a-z0-9_])(?!to )[a-z][a-z0-9_]* C[0-9]+(?:(?: to|,(?: [a-z][a-z0-9_]*)?) C[0-9]+)*")


class Rule:
    """One line of docs/Requirements."""

    def __init__(self, name, place, text):
        self.name, self.place, self.text = name, place, text
        self.marks = MARK.findall(text)


class Page:
    """A row of the table in docs/Requirements/README.md."""

    def __init__(self, group, file, place, count, unnamed):
        self.group, self.file, self.place = group, file, place
        self.count, self.unnamed = count, unnamed


def read_pages(root):
    """The groups that the table lists."""
    path = root / "docs" / "Requirements" / "README.md"
    pages = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"\| ([A-M]) \| \[([^]]+)\]\(\2\)[^|]*\| ([0-9]+) \| ([0-9]+) \|$", line)
        if match:
            place = f"{path.relative_to(root)}:{number}"
            pages.append(Page(match[1], path.parent / match[2], place, int(match[3]), int(match[4])))
    return pages


def read_rules(root, pages, errors):
    """The rules of all pages by ID. What is wrong with a page goes to `errors`."""
    rules = {}
    for page in pages:
        name = page.file.relative_to(root)
        if not page.file.exists():
            errors.append(f"{page.place}: there is no {name}")
            continue
        found = []
        for number, line in enumerate(page.file.read_text().splitlines(), 1):
            place = f"{name}:{number}"
            if len(line) > 120:
                errors.append(f"{place}: {len(line)} columns, at most 120")
            match = re.match(r'- <a id="([^"]*)"></a>\*\*([A-M]-[0-9]{3})\*\* (.*)', line)
            if match:
                if match[1] != match[2]:
                    errors.append(f"{place}: the anchor of {match[2]} is {match[1]}")
                found.append([match[2], place, match[3]])
            elif found and line.startswith("  "):
                found[-1][2] += " " + line.strip()
            elif line.startswith("- "):
                errors.append(f"{place}: this line has no rule and anchor")
        for rule in (Rule(*parts) for parts in found):
            check_rule(rule, page, rules, errors)
            rules.setdefault(rule.name, rule)
        for number in range(1, page.count + 1):
            if f"{page.group}-{number:03}" not in rules:
                errors.append(f"{name}: there is no {page.group}-{number:03}")
    return rules


def check_rule(rule, page, rules, errors):
    if rule.name in rules:
        errors.append(f"{rule.place}: {rule.name} is at {rules[rule.name].place}, too")
    if rule.name[0] != page.group or not 1 <= int(rule.name[2:]) <= page.count:
        errors.append(f"{rule.place}: the table has no {rule.name} on this page")
    if not re.search(r"\([^()]*(?:\([^()]*\))?[^()]*\)\.", rule.text):
        errors.append(f"{rule.place}: {rule.name} has no source")
    if len(rule.marks) > 1:
        errors.append(f"{rule.place}: {rule.name} has {len(rule.marks)} marks, at most 1")
    if re.search(r"\*Not testable here[.:]?\*\s*$", rule.text):
        errors.append(f"{rule.place}: why {rule.name} cannot be tested is missing")


def read_decisions(root):
    """The numbers that docs/Decisions.md has anchors for."""
    text = (root / "docs" / "Decisions.md").read_text()
    return {int(number) for number in re.findall(r'<a id="decision-([0-9]+)"></a>', text)}


def sources(root, folders=FOLDERS):
    """Path and text of every file that may cite something."""
    paths = sorted(root.glob("*.md")) if folders is FOLDERS else []
    for folder in folders:
        paths += sorted((root / folder).rglob("*"))
    for path in paths:
        if path.is_file() and path.suffix not in BINARY and "__pycache__" not in path.parts:
            yield path, path.read_text(errors="replace")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def unknown_ids(root, rules):
    """An error for each ID that no page has."""
    for path, text in sources(root):
        for match in ID.finditer(text):
            if match[1] not in rules:
                yield f"{path.relative_to(root)}:{line_of(text, match.start())}: there is no requirement {match[1]}"


def ids_of(text, errors):
    """All that a text names; `C-018 to C-021` names four."""
    for match in RANGE.finditer(text):
        first = last = int(match[2])
        if match[4]:
            last = int(match[4])
            if match[3] not in (None, match[1]) or last <= first:
                errors.append(f"{match[0]}: a range goes up within one group")
        for number in range(first, last + 1):
            yield f"{match[1]}-{number:03}"
    for match in TITLE.finditer(text):
        yield f"{match[1]}-{match[2]}"


def labels_of(text):
    """The labels that a comma-separated list names."""
    group = None
    for part in text.split(","):
        match = LABEL.match(part.strip())
        if not match:
            continue
        group = match[1] or group
        for number in range(int(match[2]), int(match[3] or match[2]) + 1) if group else ():
            yield f"{group} C{number}"


def quoted(text):
    """Labels in a source text: `pool C2, C3` in a comment counts for both."""
    found = set()
    for run in LABELS.finditer(text):
        found.update(labels_of(run[0]))
    for function in re.finditer(r"@([a-z][a-z0-9_]*)_c([0-9]+)\b", text):
        found.add(f"{function[1]} C{function[2]}")
    return found


def read_labels(root, errors):
    """Where docs/Spec defines each label."""
    defined = {}
    for path in sorted((root / "docs" / "Spec").rglob("*.md")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r"- ([a-z][a-z0-9_]* C[0-9]+[^:]*):", line)
            for label in labels_of(match[1]) if match else ():
                if label in defined:
                    errors.append(f"{path.relative_to(root)}:{number}: {label} is at {defined[label]}, too")
                defined.setdefault(label, f"{path.relative_to(root)}:{number}")
    return defined


def root_of(arguments):
    """The repository, or the tree that `--root=DIR` names."""
    for argument in arguments:
        if argument.startswith("--root="):
            return pathlib.Path(argument[len("--root="):]).resolve()
    return pathlib.Path(__file__).resolve().parent.parent
