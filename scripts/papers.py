#!/usr/bin/env python3
"""papers.py BUILD: what of the papers' tables and figures this machine can measure in some minutes, beside the published values.

Writes a page for each paper, 000.md to 004.md, and pictures beside the pages, by runs of the examples and benchmarks of BUILD on
one core, or on one GPU. HEPTA_MATRICES names a folder with more matrices than those of tests/matrices. A section with values of a
GPU stays as it is where only the host runs, and one with counts of the host where a GPU runs; in a folder without pages all
sections are measured. A run that fails is told on stderr and by the exit code, and on its page if the section has no values."""
import argparse
import datetime
import pathlib
import re
import sys
import time

import papers_000
import papers_001
import papers_002
import papers_003
import papers_004
from papers_runs import HOST, ROOT, Runs, machine

PAPERS = {"000": papers_000, "001": papers_001, "002": papers_002, "003": papers_003, "004": papers_004}


def sections(path):
    """{heading: (lines, machine and date)} of a page"""
    if not path.is_file():
        return {}
    head, *parts = re.split(r"^## ", path.read_text(), flags=re.M)
    by = re.search(r"^By `make papers` on (.*)\.$", head, re.M)
    found = {}
    for part in parts:
        heading, _, text = part.partition("\n")
        lines, on = text.strip("\n").splitlines(), re.search(r"^Measured on (.*)\.$", text, re.M)
        if by and not on:
            lines[1:1] = ["", f"Measured on {by[1]}."]
        found[heading] = lines, on[1] if on else by[1] if by else ""
    return found


def stays(part, runs, old):
    """Whether a section keeps its values: those of a GPU where only the host runs, counts of the host where a GPU runs, those in
    float without a build that has them"""
    if old is None or any(line.startswith("Not measured") for line in old[0]):
        return False
    if part.counts:
        return runs.device or (part.single and not runs.single and any(line.startswith("| float") for line in old[0]))
    return not runs.device and not old[1].startswith(HOST)


def section(runs, folder, part, old):
    """Lines of a section and whether it failed"""
    if stays(part, runs, old):
        print(f"papers.py: stays as measured on {old[1]}", file=sys.stderr)
        return [part.sentence, *old[0][1:]], False
    try:
        found, failed = part.measure(runs, folder), False
    except RuntimeError as error:
        print(f"papers.py: {error}", file=sys.stderr)
        found, failed = [] if old else [f"Not measured: {error}"], True
    if not found:
        return (old[0] if old else []), failed
    on = f"Measured on {machine(runs.device and not part.counts)}, {datetime.date.today()}."
    return [part.sentence, "", on, "", *found], failed


def page(number, runs, folder, wanted):
    """Writes the page of a paper, anew the sections whose headings match; how many failed"""
    paper, path, failed = PAPERS[number], folder / f"{number}.md", 0
    old, lines = sections(path), [f"# {paper.TITLE}", ""]
    lines += ["By `make papers`. All sections of the paper: [papers](../papers.md).", ""]
    for heading, part in paper.PARTS.items():
        found, start = old.get(heading, [[]])[0], time.monotonic()
        if wanted.search(heading):
            print(f"papers.py: {number}, {heading}", file=sys.stderr, flush=True)
            found, wrong = section(runs, folder, part, old.get(heading))
            failed += wrong
            print(f"papers.py: {number}, {heading}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        lines += [f"## {heading}", "", *found, ""] if found else []
    path.write_text("\n".join(lines).rstrip() + "\n")
    return failed


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"no regular expression, {error}: {text}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs" / "papers")
    parser.add_argument("--only", choices=PAPERS, help="the page of this paper alone")
    parser.add_argument("--part", type=pattern, default="", help="the sections alone whose headings match this pattern")
    parser.add_argument("--single", help="a build with a PETSc of single precision, for the part that compares it")
    parser.add_argument("--device", action="store_true", help="benchmarks on one GPU; counts of iterations are of the host")
    given = parser.parse_args()
    numbers = [given.only] if given.only else list(PAPERS)
    headings = [heading for number in numbers for heading in PAPERS[number].PARTS]
    if not any(given.part.search(heading) for heading in headings):
        parser.error("--part matches none of: " + "; ".join(headings))
    runs, start = Runs(given.build, given.device, given.single), time.monotonic()

    given.folder.mkdir(parents=True, exist_ok=True)
    failed = sum(page(number, runs, given.folder, given.part) for number in numbers)
    print(f"papers.py: {(time.monotonic() - start) / 60:.1f} minutes in all", file=sys.stderr)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
