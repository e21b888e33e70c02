/** Environment variables that scripts get of the server's own: those that programs need to run, and no other. */
import type { MachineUser } from "../../config/mod.ts";

const NAMES: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP"],
  ...["LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"],
  ...["JAVA_HOME", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NODE_PATH", "DOCKER_HOST", "DOCKER_CONTEXT"],
  ...["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT"],
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
]);
const PREFIXES = ["LC_", "XDG_"];

/** What a process gets before what the flow adds. A list of what is harmless: nobody knows all names of secrets. */
export function scriptEnvironment(
  environment: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(environment).filter(([name, value]) => isHarmless(name, value)));
}

/** Those of a script that runs as a user of its own: at home in its directory, with no files of the server's user. */
export function userEnvironment(
  variables: ReadonlyMap<string, string>,
  { name }: MachineUser,
  directory: string,
): ReadonlyMap<string, string> {
  const others = [...variables].filter(([variable]) => !variable.startsWith("XDG_"));
  return new Map([...others, ["HOME", directory], ["USER", name], ["LOGNAME", name]]);
}

/** An address with a password in it is none of those. */
function isHarmless(name: string, value: string): boolean {
  if (/_(?:PROXY|URL|LINKS|REGISTRY)$/i.test(name) && /@/.test(value)) return false;
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}
