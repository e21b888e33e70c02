"""The package index that the machine and the task are configured for: variables and files of pip, variables of uv."""
import configparser
import os
import ssl
import sys

DEFAULT_INDEX = "https://pypi.org/simple"


class PackageIndex:
    """Where packages come from. Variables of the task win over those of files."""

    def __init__(self, environment):
        options = _file_options(environment)

        def option(name, *variables):
            for variable in variables:
                if environment.get(variable):
                    return environment[variable]
            return environment.get("PIP_" + name.upper().replace("-", "_")) or options.get(name) or ""

        self.is_offline = environment.get("SLUICE_OFFLINE") == "1"
        self.no_index = option("no-index").lower() in ("1", "true", "yes", "on")
        self.url = option("index-url", "UV_DEFAULT_INDEX", "UV_INDEX_URL") or DEFAULT_INDEX
        self.extra_urls = option("extra-index-url", "UV_EXTRA_INDEX_URL").split()
        self.find_links = [link for link in option("find-links").split() if _is_usable(link)]
        self.constraints = option("constraint", "UV_CONSTRAINT")
        self.trusted_hosts = [host.split(":")[0] for host in option("trusted-host", "UV_INSECURE_HOST").split()]
        self.is_pre = option("pre").lower() in ("1", "true", "yes", "on")
        self.timeout = option("timeout", "UV_HTTP_TIMEOUT") or option("default-timeout")
        self.certificates = _certificates(environment, option("cert"))

    @property
    def urls(self):
        """Addresses of indexes, the main one first; empty with `no-index`."""
        return [] if self.no_index else [self.url] + self.extra_urls

    def uv_variables(self):
        """The same as variables of uv."""
        # With UV_DEFAULT_INDEX the option --index-url would have no effect.
        variables = {"UV_INDEX_URL": self.url}
        if self.extra_urls:
            variables["UV_EXTRA_INDEX_URL"] = " ".join(self.extra_urls)
        if self.find_links:
            variables["UV_FIND_LINKS"] = ",".join(self.find_links)
        if self.constraints:
            variables["UV_CONSTRAINT"] = self.constraints
        if self.trusted_hosts:
            variables["UV_INSECURE_HOST"] = " ".join(self.trusted_hosts)
        if self.is_pre:
            variables["UV_PRERELEASE"] = "allow"
        if self.timeout:
            variables["UV_HTTP_TIMEOUT"] = self.timeout
        if self.certificates:
            variables["SSL_CERT_FILE"] = self.certificates
        return variables


def _file_options(environment):
    """Options of pip's files; a later file wins."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    for path in _files(environment):
        try:
            parser.read(path, encoding="utf-8")
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
    options = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            options.update({name: value or "" for name, value in parser.items(section)})
    return options


def _files(environment):
    given = environment.get("PIP_CONFIG_FILE")
    if given == os.devnull:
        return []
    home = os.path.expanduser("~")
    config = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    files = ["/etc/xdg/pip/pip.conf", "/etc/pip.conf", os.path.join(home, ".pip", "pip.conf")]
    files += [os.path.join(config, "pip", "pip.conf"), os.path.join(sys.prefix, "pip.conf")]
    return files + ([given] if given else [])


def _is_usable(link):
    """A folder that does not exist is an error for uv, but none for pip."""
    return "://" in link or os.path.exists(link)


def _certificates(environment, given):
    """The certificates of the machine: uv brings its own, which lack those of a company."""
    if environment.get("SSL_CERT_FILE"):
        return environment["SSL_CERT_FILE"]
    for path in (given, environment.get("REQUESTS_CA_BUNDLE"), ssl.get_default_verify_paths().cafile):
        if path and os.path.exists(path):
            return path
    for path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"):
        if os.path.exists(path):
            return path
    return None
