"""What the pages of papers.py share: runs of programs, their tables, matrices at hand, the machine."""
import gzip
import os
import pathlib
import platform
import re
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRICES = ROOT / "tests" / "matrices"
LIMIT = 300  # seconds of one run
HOST = "one core of "


class Part(typing.NamedTuple):
    """A section of a page. measure(runs, folder): its lines, none where this machine cannot measure it; counts: it has no times
    of a GPU, so that the host measures it; single: a build with a PETSc of single precision adds lines"""
    measure: typing.Callable
    sentence: str
    counts: bool = False
    single: bool = False


class Runs:
    def __init__(self, build, device, single=None):
        self.build, self.device, self.single, self.kept = pathlib.Path(build), device, single, {}

    def run(self, program, options, converges=True):
        """What the program prints; raises RuntimeError with its error. Without convergence the exit code means nothing."""
        command = [str(self.build / program), *options.split()]
        command += ["-use_gpu_aware_mpi", "0"] if self.device else []
        one_core = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        if (self.build / "lib").is_dir():  # a bundle has its libraries there
            one_core["LD_LIBRARY_PATH"] = f"{self.build / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=one_core)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"it took more than {LIMIT} s") from None
        except FileNotFoundError:
            raise RuntimeError(f"there is no program {command[0]}") from None
        if done.returncode and (converges or not done.stdout):
            error = re.search(r"PETSC ERROR: (?!-)(.*)", done.stderr)
            raise RuntimeError(error[1] if error else f"exit code {done.returncode}")
        return done.stdout

    def once(self, program, options):
        """The same, of one run for all parts that ask for it"""
        if (program, options) not in self.kept:
            self.kept[program, options] = self.run(program, options)
        return self.kept[program, options]

    def bench(self, program, options, *headings):
        """The tables of a benchmark under headings that begin like these"""
        options += " -device" if self.device else " -host" * (program == "trisolve")
        parts = re.split(r"^### ", self.run(f"bench/{program}", options), flags=re.M)[1:]
        kept = [part.splitlines() for part in parts if part.startswith(headings)]
        tables = ["\n".join([f"### {head}", "", *(line for line in lines if line.startswith("|"))]) for head, *lines in kept]
        return "\n\n".join([*tables, f"`bench/{program} {shown(options)}`"])

    def last_solve(self, options, converges=False):
        """Iterations, seconds of set-up and of solve of the last solve of bubbly, in which nothing is used for the first time"""
        text = self.run("examples/bubbly", options, converges)
        its, seconds = re.findall(r" after (\d+) iterations", text), re.findall(r" set up (\S+) s, solve (\S+) s$", text, re.M)
        if len(seconds) < 2:
            raise RuntimeError(f"bubbly {options} has not solved twice")
        return int(its[-1]), *map(float, seconds[-1])

    def iterations(self, options):
        return [int(n) for n in re.findall(r" after (\d+) iterations", self.run("examples/bubbly", options))]


def attempt(runs, options):
    """The last solve, if all have converged"""
    try:
        return runs.last_solve(options, True)
    except RuntimeError as error:
        print(f"papers.py: {options}: {error}", file=sys.stderr)
        return None


def span(numbers):
    return str(numbers[0]) if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def grid(head, rows):
    """Lines of a Markdown table"""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def table_of(text, heading):
    """Cells of each row of a benchmark's table, of its head first; raises RuntimeError without the table"""
    part = text.partition(f"### {heading}")[2].partition("###")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| ")]
    if not lines:
        raise RuntimeError(f"the benchmark has no table {heading}")
    return lines


def records(text, heading):
    """Its rows by the names of its columns"""
    names, *rows = table_of(text, heading)
    return [dict(zip(names, row)) for row in rows]


def shown(options):
    """Options without the folders of matrices"""
    for folder in folders():
        options = options.replace(f"{folder}/", "")
    return options


def folders():
    """tests/matrices, and the folder HEPTA_MATRICES"""
    return [MATRICES, *map(pathlib.Path, filter(None, [os.environ.get("HEPTA_MATRICES")]))]


def files():
    """Paths of the matrices at hand, by name"""
    found = {path.name.removesuffix(".mtx.gz"): path for folder in folders() for path in folder.glob("*.mtx.gz")}
    return {name: found[name] for name in sorted(found, key=str.lower)}


def sizes(path):
    """Rows and entries of a symmetric matrix with a positive diagonal, else none"""
    with gzip.open(path, "rt", errors="replace") as text:
        if text.readline().split()[3:] not in (["real", "symmetric"], ["integer", "symmetric"]):
            return None
        (rows, *_), *entries = [line.split() for line in text if line.strip() and not line.startswith("%")]
    positive = sum(i == j and float(value) > 0 for i, j, value in entries)
    return (positive, 2 * len(entries) - positive) if positive == int(rows) else None


def candidates():
    """Paths and sizes of matrices that may be positive definite, by name"""
    found = {name: (path, sizes(path)) for name, path in files().items()}
    return {name: (path, *of) for name, (path, of) in found.items() if of}


def machine(device):
    if not device:
        cpu = pathlib.Path("/proc/cpuinfo")
        model = re.search(r"model name\s*: (.*)", cpu.read_text()) if cpu.is_file() else None
        return HOST + (model[1] if model else platform.processor())
    found = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return "one " + found.stdout.splitlines()[0]
