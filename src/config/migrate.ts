/** The options of `sluice migrate`, from its arguments and the environment. Pure. */
import { shownUri } from "../base/network/shown_uri.ts";
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem, type Environment } from "./given.ts";
import { baseUrlOf, parseServerUrl } from "./server_url.ts";
import { readCredentials } from "./values.ts";

/** A server whose API is called. */
export interface ServerAddress {
  /** Without `/api/v1` and without a slash at its end. */
  readonly url: string;
  readonly tenant: string;
  /** Value of the header Authorization. */
  readonly authorization?: string;
}

/** Options of a migration. */
export interface MigrateOptions {
  /** A path, or a server. */
  readonly source: string | ServerAddress;
  /** Where to import; absent: only check. */
  readonly target?: ServerAddress;
  readonly isJson: boolean;
  /** Replaces what the target has with other content. */
  readonly isOverwrite: boolean;
  /** Imports all flows disabled. */
  readonly isDisabled: boolean;
  /** Only this namespace and those below it. */
  readonly namespace?: string;
}

const SWITCHES = ["check", "apply", "json", "overwrite", "disabled"] as const;
const VALUES = [
  "source-auth",
  "source-token",
  "source-tenant",
  "target",
  "target-auth",
  "target-token",
  "target-tenant",
  "namespace",
] as const;
type ValueName = typeof VALUES[number];

const DEFAULT_TARGET = "http://127.0.0.1:8080";

/** The text of `sluice migrate --help`. */
export const MIGRATE_HELP = `Checks flows that were written for another server, and imports them

Usage: sluice migrate <source> [options]

The source is a file (.yml, .yaml, or a .zip export), a folder, or the address of a server, such as
https://flows.example.org

Options:
  --check                       Only checks: each flow works, differs or is refused, with the reasons. The default
  --apply                       Imports into the target: flows, and from a server also namespace files and
                                KV pairs. Secrets cannot be read: their names are listed. Can be repeated:
                                what the target has already is left as it is
  --namespace <name>            Only this namespace and those below it
  --overwrite                   Replaces flows, files and KV pairs of the target that have other content
  --disabled                    Imports the flows disabled, so that no trigger fires on both servers
  --json                        Prints the result as one JSON object
  --source-auth <user:password> Credentials of the source
  --source-token <token>        API token of the source, instead
  --source-tenant <tenant>      Tenant of the source (default: main)
  --target <url>                Server to import into (default: ${DEFAULT_TARGET})
  --target-auth <user:password> Credentials of the target
  --target-token <token>        API token of the target, instead
  --target-tenant <tenant>      Tenant of the target (default: main)
  --help                        Prints this text

Other users of the machine see arguments: credentials can be the variables SLUICE_SOURCE_AUTH,
SLUICE_SOURCE_TOKEN, SLUICE_TARGET_AUTH and SLUICE_TARGET_TOKEN instead.

Exit codes:
  0  every flow can be saved; with --apply, all was imported
  1  a flow is refused, or something was not imported
  2  the source or the target could not be used`;

/** The options, or the first problem. */
export function parseMigrate(
  args: readonly string[],
  environment: Environment,
): MigrateOptions | ConfigProblem {
  const given = readCommandArguments(args, {
    name: "migrate",
    values: VALUES,
    switches: SWITCHES,
    operands: 1,
  });
  if (given instanceof ConfigProblem) return given;
  const { values, switches, operands: [source] } = given;
  if (!source) return new ConfigProblem("Cannot migrate without a source; see migrate --help");
  const isApply = switches.has("apply");
  const useless = uselessOption(values, switches, { isApply, isServer: isAddress(source) });
  if (useless !== undefined) return new ConfigProblem(useless);
  const read = (name: ValueName) => values.get(name) || environment[variableOf(name)] || undefined;
  const from = isAddress(source) ? addressOf(source, "source", read) : source;
  if (from instanceof ConfigProblem) return from;
  const target = isApply ? addressOf(read("target") ?? DEFAULT_TARGET, "target", read) : undefined;
  if (target instanceof ConfigProblem) return target;
  return {
    source: from,
    target,
    isJson: switches.has("json"),
    isOverwrite: switches.has("overwrite"),
    isDisabled: switches.has("disabled"),
    namespace: read("namespace"),
  };
}

/** Why an option would have no effect. */
function uselessOption(
  values: ReadonlyMap<string, string>,
  switches: ReadonlySet<string>,
  { isApply, isServer }: { readonly isApply: boolean; readonly isServer: boolean },
): string | undefined {
  if (isApply && switches.has("check")) return "Cannot use --check together with --apply";
  const names = [...values.keys(), ...switches];
  const ofTarget = names.find((name) => name.startsWith("target") || /^(?:overwrite|disabled)$/.test(name));
  if (!isApply && ofTarget !== undefined) return `Cannot use --${ofTarget} without --apply`;
  const ofSource = names.find((name) => name.startsWith("source"));
  if (!isServer && ofSource !== undefined) {
    return `Cannot use --${ofSource}: the source is not the address of a server`;
  }
  return undefined;
}

function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

function addressOf(
  text: string,
  side: "source" | "target",
  read: (name: ValueName) => string | undefined,
): ServerAddress | ConfigProblem {
  const url = parseServerUrl(text);
  if (!url) {
    return new ConfigProblem(
      `Cannot use "${shownUri(text)}" as ${side}: it must be an address such as "https://flows.example.org"` +
        `, without credentials (see --${side}-auth), query and fragment`,
    );
  }
  const auth = read(`${side}-auth`);
  const token = read(`${side}-token`);
  if (auth !== undefined && token !== undefined) {
    return new ConfigProblem(`Cannot use both --${side}-auth and --${side}-token`);
  }
  if (auth !== undefined && !readCredentials(auth)) {
    return new ConfigProblem(`Cannot use --${side}-auth: it must be "user:password", neither part empty`);
  }
  return {
    url: baseUrlOf(url),
    tenant: read(`${side}-tenant`) ?? "main",
    authorization: auth !== undefined ? basicOf(auth) : token !== undefined ? `Bearer ${token}` : undefined,
  };
}

function basicOf(credentials: string): string {
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}

function variableOf(name: string): string {
  return `SLUICE_${name.toUpperCase().replaceAll("-", "_")}`;
}
