/** Environment variables of the server that scripts get: only those that programs need to run. */
import type { MachineUser } from "../../config/mod.ts";

const NAMES: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP"],
  ...["LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"],
  ...["JAVA_HOME", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NODE_PATH", "DOCKER_HOST", "DOCKER_CONTEXT"],
  ...[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_CERT",
    "PIP_CONFIG_FILE",
  ],
  ...["PIP_TRUSTED_HOST", "PIP_CONSTRAINT", "PIP_DEFAULT_TIMEOUT", "PYENV_ROOT", "PYENV_VERSION"],
  ...["UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS", "UV_NO_INDEX"],
  ...["UV_CONSTRAINT", "UV_INSECURE_HOST", "UV_HTTP_TIMEOUT", "UV_PYTHON_INSTALL_MIRROR"],
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
]);
const PREFIXES = ["LC_", "XDG_"];
/** What only the `docker` command of the server gets. */
const CLIENT_NAMES: readonly string[] = [
  ...["DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS", "DOCKER_TLS_VERIFY", "DOCKER_API_VERSION"],
  ...["CONTAINER_HOST", "CONTAINER_SSHKEY"],
];

/** Variables of a process before those of the flow. An allow list, since names of secrets cannot be listed. */
export function scriptEnvironment(
  environment: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(environment).filter(([name, value]) => isHarmless(name, value)));
}

/** Variables of the `docker` command, in which a flow has no part. */
export function clientEnvironment(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = Object.entries(environment).filter(([name]) => CLIENT_NAMES.includes(name));
  return Object.fromEntries([...scriptEnvironment(environment), ...own]);
}

/** Variables of a script with its own user: its directory is `HOME`, and no `XDG_` directory of the server user remains. */
export function userEnvironment(
  variables: ReadonlyMap<string, string>,
  { name }: MachineUser,
  directory: string,
): ReadonlyMap<string, string> {
  const others = [...variables].filter(([variable]) => !variable.startsWith("XDG_"));
  return new Map([...others, ["HOME", directory], ["USER", name], ["LOGNAME", name]]);
}

/** False also for an address with a password. */
function isHarmless(name: string, value: string): boolean {
  if (!NAMES.has(name) && !PREFIXES.some((prefix) => name.startsWith(prefix))) return false;
  return !(/_(?:PROXY|URL|LINKS|REGISTRY|INDEX|MIRROR)$/i.test(name) && value.includes("@"));
}
