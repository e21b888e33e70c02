"""The commands `pip`, `uv` and `uvx` of a task: they change only the environment of the task.

    packages.py pip|uv|uvx ARGUMENTS...   runs the command
    packages.py python VERSION            prints the path of that Python, installed if it can be

`pip` is uv where uv understands the arguments, else pip. Both are taken from the machine; what the machine lacks is fetched
from its package index and kept in the cache of the tenant. Notices on the error stream go to the output: a line there would
end the task with a warning.
"""
import importlib.machinery
import os
import re
import subprocess
import sys
import threading

import fetch
from package_index import PackageIndex
from pip_arguments import uv_arguments

HERE = os.path.dirname(os.path.abspath(__file__))
FAILURE = re.compile(r"^\s*(?:error|ERROR|×|\[stderr\])")
NOTICE = re.compile(r"^Using (?:Python|CPython) ")
# They run programs, which write to the error stream themselves.
RUNNING = {("run",), ("tool", "run")}
CHANGING = {"add", "download", "install", "lock", "python", "remove", "sync", "tool", "uninstall", "venv", "wheel"}


def main(arguments):
    command, *rest = arguments
    if not os.environ.get("SLUICE_CACHE"):
        print("error: %s runs only in a task: the variable SLUICE_CACHE is missing" % command, file=sys.stderr)
        return 1
    machine = Machine(dict(os.environ), is_changing(rest))
    if command == "pip":
        return run_pip(machine, rest)
    if command == "python":
        return find_python(machine, rest[0])
    return run_uv(machine, command, rest)


def is_changing(arguments):
    """Whether the output of such a command is a report. That of others is data: `pip freeze > file`."""
    words = [argument for argument in arguments if not argument.startswith("-") and argument != "pip"]
    return words[:1] != [] and words[0] in CHANGING


class Machine:
    """The programs and the environment of this task."""

    def __init__(self, environment, has_report):
        self.environment = environment
        self.index = PackageIndex(environment)
        self.cache = environment["SLUICE_CACHE"]
        self.has_report = has_report
        self._problem = None

    @property
    def _programs(self):
        return os.path.join(self.cache, "programs")

    def program(self, name):
        """The path of `uv` or `uvx`: of the machine, or fetched; `None` if there is no way to have it."""
        own = os.path.join(os.path.dirname(HERE), "bin")
        for folder in self.environment.get("PATH", "").split(os.pathsep):
            path = os.path.join(folder, name)
            if folder and os.path.realpath(folder) != os.path.realpath(own) and _works(path):
                return path
        folder = self._fetched("uv", fetch.unpack_programs)
        return os.path.join(folder, name) if folder else None

    def pip(self):
        """The folder or wheel of pip, to be run by Python; `None` if there is no way to have it."""
        modules = os.path.join(os.path.dirname(HERE), "modules")
        path = [entry for entry in sys.path if entry and os.path.realpath(entry) not in (HERE, os.path.realpath(modules))]
        spec = importlib.machinery.PathFinder.find_spec("pip", path)
        if spec and spec.submodule_search_locations:
            return list(spec.submodule_search_locations)[0]
        folder = self._fetched("pip", fetch.unpack_modules)
        return os.path.join(folder, "pip") if folder else None

    def _fetched(self, name, unpack):
        found = fetch.fetched_program(name, self._programs)
        if found:
            return found
        try:
            return fetch.fetch_program(name, self._programs, self.index, unpack, self._say)
        except (fetch.CannotFetch, OSError) as error:
            self._problem = self._problem or str(error)
            return None

    def _say(self, text):
        if self.has_report:
            print(text, flush=True)

    def missing(self, what):
        """Says on the error stream that a program is missing, and what helps; returns the exit code."""
        print(
            "error: %s is missing on this machine and could not be fetched: %s; install it on the machine, or set the "
            "address of a package index, for example PIP_INDEX_URL in `env`" % (what, self._problem),
            file=sys.stderr,
        )
        return 127

    def variables(self):
        """Variables of uv and pip: caches of this tenant, the index of this machine, this environment."""
        variables = dict(self.environment)
        defaults = {
            "UV_CACHE_DIR": os.path.join(self.cache, "uv"),
            "UV_PYTHON_INSTALL_DIR": os.path.join(self.cache, "python"),
            # A link would let a task change the cache, and with it other tasks.
            "UV_LINK_MODE": "copy",
            # As pip does.
            "UV_INDEX_STRATEGY": "unsafe-best-match",
            "UV_NO_PROGRESS": "1",
            "PIP_CACHE_DIR": os.path.join(self.cache, "pip"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
        }
        for name, value in dict(defaults, **self.index.uv_variables()).items():
            variables.setdefault(name, value)
        # Both would install outside of the environment.
        variables.pop("UV_SYSTEM_PYTHON", None)
        variables["PIP_USER"] = "0"
        return variables


def _works(path):
    """Whether a program can be run. A script may be the stub of a version manager, which only says that it is missing."""
    if not os.access(path, os.X_OK) or os.path.isdir(path):
        return False
    with open(path, "rb") as file:
        if file.read(2) != b"#!":
            return True
    return subprocess.call([path, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def run_pip(machine, arguments):
    translated = uv_arguments(arguments, machine.index)
    if translated == []:
        print("pip of this task is up to date")
        return 0
    uv = machine.program("uv") if translated else None
    if uv:
        # With `--target` and the like the interpreter only says for which version.
        return run([uv, "pip", translated[0], "--python", sys.executable] + translated[1:], machine)
    pip = machine.pip()
    if pip is None:
        return machine.missing("pip")
    options = [argument for argument in arguments if argument not in ("--user", "--break-system-packages")]
    return run([sys.executable, pip] + options, machine)


def run_uv(machine, command, arguments):
    program = machine.program(command)
    if program is None:
        return machine.missing(command)
    words = tuple(argument for argument in arguments if not argument.startswith("-"))
    is_running = command == "uvx" or words[:1] in RUNNING or words[:2] in RUNNING
    if is_running:
        os.execve(program, [command, "--quiet"] + arguments, machine.variables())
    own = [argument for argument in arguments if words[:1] != ("pip",) or argument not in ("--system", "--user")]
    return run([program] + own, machine)


def run(command, machine):
    """Runs a command, its notices on the output, its errors on the error stream. Returns the exit code."""
    child = subprocess.Popen(command, env=machine.variables(), stderr=subprocess.PIPE)
    target = sys.stdout if machine.has_report else sys.stderr
    reader = threading.Thread(target=_forward, args=(child.stderr, target))
    reader.start()
    try:
        code = child.wait()
    except KeyboardInterrupt:
        code = 130
    reader.join()
    return code if code >= 0 else 128 - code


def _forward(lines, target):
    for line in lines:
        text = line.decode("utf-8", "replace")
        if NOTICE.match(text):
            continue
        if FAILURE.match(text):
            target = sys.stderr  # The reasons follow.
        target.write(text)
        target.flush()


def find_python(machine, version):
    """Prints the path of a Python that uv finds, or installs in the cache of the tenant."""
    uv = machine.program("uv")
    if uv is None:
        return machine.missing("uv")
    variables = dict(machine.variables(), UV_HTTP_TIMEOUT="15")
    find = [uv, "python", "find", "--no-project", "--system", version]
    if not _succeeds(find, variables, subprocess.DEVNULL):
        if machine.index.is_offline:
            print("error: the server was started with --offline", file=sys.stderr)
            return 1
        install = [uv, "python", "install", "--no-bin", version]
        if not _succeeds(install, variables, sys.stderr):
            return 1
    return subprocess.call(find, env=variables)


def _succeeds(command, variables, errors):
    return subprocess.call(command, env=variables, stdout=subprocess.DEVNULL, stderr=errors) == 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
