"""Translates arguments of pip to those of `uv pip`."""

# Commands that uv has with the same meaning.
COMMANDS = {"install", "uninstall", "freeze", "list", "show", "check"}
# Options without a value, by their name in uv; `None` for those that mean nothing in the environment of a task.
FLAGS = {
    "-U": "--upgrade",
    "--upgrade": "--upgrade",
    "-q": "--quiet",
    "-qq": "--quiet",
    "--quiet": "--quiet",
    "--no-deps": "--no-deps",
    "--pre": "--prerelease=allow",
    "--no-cache-dir": "--no-cache",
    "--no-index": "--no-index",
    "--force-reinstall": "--reinstall",
    "-I": "--reinstall",
    "--ignore-installed": "--reinstall",
    "--no-build-isolation": "--no-build-isolation",
    "--require-hashes": "--require-hashes",
    "-y": None,
    "--yes": None,
    "-l": None,
    "--local": None,
    "-v": None,
    "--verbose": None,
    "--user": None,
    "--no-user": None,
    "--break-system-packages": None,
    "--disable-pip-version-check": None,
    "--no-warn-script-location": None,
    "--no-warn-conflicts": None,
    "--no-input": None,
    "--no-color": None,
    "--no-python-version-warning": None,
    "--prefer-binary": None,
    "--use-pep517": None,
    "--no-compile": None,
    "--isolated": None,
}
# Options with a value.
VALUES = {
    "-r": "--requirements",
    "--requirement": "--requirements",
    "-c": "--constraints",
    "--constraint": "--constraints",
    "-e": "--editable",
    "--editable": "--editable",
    "-i": "--index-url",
    "--index-url": "--index-url",
    "--pypi-url": "--index-url",
    "--extra-index-url": "--extra-index-url",
    "-f": "--find-links",
    "--find-links": "--find-links",
    "--trusted-host": "--allow-insecure-host",
    "-t": "--target",
    "--target": "--target",
    "--only-binary": "--only-binary",
    "--no-binary": "--no-binary",
    "--format": "--format",
    "--progress-bar": None,
    "--root-user-action": None,
    "--upgrade-strategy": None,
    "--retries": None,
    "--timeout": None,
    "--default-timeout": None,
    "--exists-action": None,
    "--cache-dir": None,
}
# Options of other commands than `install` that have the same meaning there.
COMMON = {"-q", "--quiet", "-y", "--yes", "-r", "--requirement", "--format", "-l", "--local", "--disable-pip-version-check"}


def uv_arguments(arguments, index):
    """The command and its arguments for `uv pip`; `None` if only pip understands them, `[]` if there is nothing to do."""
    translated = []
    packages = []
    used = set()
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-") or word == "-":
            packages.append(word)
        elif name in FLAGS and not equals:
            used.add(name)
            translated += [FLAGS[name]] if FLAGS[name] else []
        elif name in VALUES or name[:2] in VALUES and not word.startswith("--"):
            if name not in VALUES:
                name, value, equals = word[:2], word[2:], "="
            value = value if equals else next(words, None)
            if value is None:
                return None
            used.add(name)
            translated += [VALUES[name], value] if VALUES[name] else []
        else:
            return None
    if not packages or packages[0] not in COMMANDS:
        return None
    command, *packages = packages
    if command == "install":
        # uv stands for pip: a newer pip would only be slower.
        others = [package for package in packages if package != "pip"]
        if packages and not others and not used & {"-r", "--requirement", "-e", "--editable"}:
            return []
        packages = others
        translated += ["--no-index"] if index.no_index and "--no-index" not in translated else []
    elif used - COMMON:
        return None
    return [command] + translated + packages
