"""Commands in documents: programs of this repository exist and read the options that a command gives them.

Commands stand in backticks or in blocks. Programs are bench/NAME, examples/NAME and lab/NAME, perhaps in build, and those after
`run.sh bench` and `run.sh exec`; targets of make, scripts and the word after `run.sh` exist too. What reads an option is the
program's sources by CMakeLists.txt, sources of these folders that belong to no program, the library, or PETSc, whose options are
known by their beginnings.
"""
import re

FOLDERS = ('bench', 'examples', 'lab')
PETSC = re.compile(r'-(ksp|pc|mat|vec|dm|da|snes|ts|sub|fieldsplit|log|options|malloc|draw|viewer|mg|sf|is)(_\w+)?$|'
                   r'-(use_gpu_aware_mpi|dll_append|help|info|device_view|default_device_type)$')
OPTION = re.compile(r'"(-[A-Za-z]\w*)"')
CODE = re.compile(r'^```\w*\n(.*?)^```|`([^`]+)`', re.S | re.M)
PROGRAM = re.compile(r'^(?:build/)?((?:bench|examples|lab)/[a-z][\w-]*)$')


def sources(root):
    """{program: its sources}, and of each folder the sources of its programs"""
    found, owned = {}, {folder: set() for folder in FOLDERS}
    for folder in FOLDERS:
        file = root / folder / 'CMakeLists.txt'
        text = file.read_text() if file.is_file() else ''
        for name, files in re.findall(r'(?:add_executable|target_sources)\((\S+) ([^)]*)\)', text):
            paths = {f'{folder}/{path}' for path in files.split()}
            found.setdefault(f'{folder}/{name}', set()).update(paths)
            owned[folder] |= paths
    return found, owned


def commands_of(text):
    """The words of each command of a document, in backticks with line breaks"""
    for block, span in CODE.findall(text):
        lines = block.replace('\\\n', ' ').split('\n') if block else [span]
        yield from (part.split() for line in lines for part in re.split(r'&&|[;|<>()]| -- ', line))


def program(words):
    """The program of a command and the words after it, or None"""
    while words and re.fullmatch(r'\w+=\S*', words[0]):
        words = words[1:]
    launched = words[:1] in (['run.sh'], ['mpiexec'], ['ncu'], ['compute-sanitizer'])
    bench = words[:2] == ['run.sh', 'bench']
    for k, word in enumerate(words if launched else words[:1]):
        if PROGRAM.match(word):
            return PROGRAM.match(word)[1], words[k + 1:]
        if bench and k > 1 and words[k - 1] != '-n' and re.fullmatch(r'[a-z]+', word):
            return f'bench/{word}', words[k + 1:]
    return None, []


class Programs:
    """What reads the options of each program"""
    def __init__(self, tree):
        self.root = tree.root
        self.sources, owned = sources(tree.root)
        shared = {path for path in tree.code if path.startswith(('src/', 'examples/', 'bench/', 'lab/'))
                  and path not in owned.get(path.split('/')[0], ())}
        read = {path: set(OPTION.findall(text)) for path, text in tree.code.items()}
        self.shared = set().union(*(read[path] for path in shared), ('-n',))
        self.read = {name: set().union(*(read.get(path, set()) for path in paths)) for name, paths in self.sources.items()}

    def first(self, words):
        """Of a command's first words"""
        targets, bundle = self.root / 'GNUmakefile', self.root / 'scripts/bundle_run.sh'
        target = re.fullmatch(r'[a-z-]+', words[1]) and rf'^[a-z -]*\b{words[1]}\b.*:'
        if words[0] == 'make' and target and not re.search(target, targets.read_text(), re.M):
            yield f'runs make {words[1]}, which GNUmakefile lacks'
        if words[0] == 'run.sh' and words[1] not in re.findall(r'^#   run\.sh (\w+)', bundle.read_text(), re.M):
            yield f'runs run.sh {words[1]}, which scripts/bundle_run.sh lacks'
        script = words[0].removeprefix('./')
        if re.fullmatch(r'scripts/\w+\.(sh|py)', script) and not (self.root / script).is_file():
            yield f'runs {script}, which does not exist'

    def faults(self, words):
        yield from self.first(words) if len(words) > 1 else []
        name, rest = program(words)
        if not name or (self.root / name).is_dir():
            return
        if name not in self.read:
            yield f'runs {name}, which is no program'
            return
        for word in rest:
            inner = re.sub(r'^-\w+?_(?=(ksp|pc|mat)_)', '-', word)
            if re.fullmatch(r'-[A-Za-z]\w*', word) and not (word in self.read[name] | self.shared or PETSC.match(word)
                                                            or PETSC.match(inner)):
                yield f'gives {name} the option {word}, which it does not read'


def commands(tree):
    programs = Programs(tree)
    for path, text in tree.documents.items():
        found = dict.fromkeys(what for words in commands_of(text) for what in programs.faults(words))
        yield from (f'{path}: {what}' for what in found)
