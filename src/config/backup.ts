/** The options of `sluice backup`, from its arguments and the environment. Pure. */
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem, type Environment } from "./given.ts";
import { optionKey, OPTIONS, optionVariable } from "./options.ts";
import { readCredentials } from "./values.ts";
import { baseUrlOf, isUnprotected, parseServerUrl } from "./server_url.ts";

/** A running server that makes the backup. */
interface BackupServer {
  /** Without `/api/v1` and without a slash at its end. */
  readonly url: string;
  /** Value of the header Authorization. */
  readonly authorization?: string;
}

/** Options of a backup. */
export interface BackupOptions {
  /** Absent: the data directory is read. */
  readonly server?: BackupServer;
  readonly dataDir: string;
  /** Folder that gets the backup; absent: that of the server, or the folder backups of the data directory. */
  readonly to?: string;
  readonly isJson: boolean;
}

const VALUES = ["data-dir", "to", "server", "token", "auth"] as const;

/** The text of `sluice backup --help`. */
export const BACKUP_HELP = `Makes a backup, also while a server runs

Usage: sluice backup [options]

Without --server it reads the data directory, and a server may use it meanwhile. With --server it asks a server for
the backup, which keeps it; with --to, too, it downloads it as a tar archive.

A backup is a data directory with the database and the file of the encryption key. To restore it, copy it into a new
folder, never over another data directory, and start a server with --data-dir. It holds all data and the key of
secrets: keep it as safe as the data.

Options:
  --data-dir <folder>    Data directory (default: ./sluice-data)
  --to <folder>          Folder that gets the backup (default: the folder backups of the data directory)
  --server <url>         Address of a running server that makes the backup
  --token <token>        API token for it, not limited to tenants. Other users of the machine see arguments: prefer
                         the variable SLUICE_TOKEN
  --auth <user:password> Credentials for it, instead; also the variable SLUICE_AUTH
  --json                 Prints the result as one JSON object
  --help                 Prints this text

--data-dir is also the variable SLUICE_DATA_DIR. A database server is backed up with its own tools.

Exit codes:
  0  the backup is complete and on the disk
  1  it could not be made; nothing is left of it
  2  the options cannot be used`;

/** The options, or the first problem. */
export function parseBackup(
  args: readonly string[],
  environment: Environment,
): BackupOptions | ConfigProblem {
  const spec = { name: "backup", values: VALUES, switches: ["json"], operands: 0 };
  const given = readCommandArguments(args, spec);
  if (given instanceof ConfigProblem) return given;
  const { values, switches } = given;
  const server = values.has("server") ? readServer(values, environment) : undefined;
  if (server instanceof ConfigProblem) return server;
  if (server && values.has("data-dir")) {
    return new ConfigProblem("Cannot use both --server and --data-dir: the server knows its data");
  }
  if (!server && !values.has("data-dir") && environment[optionVariable("database")]) {
    return new ConfigProblem(
      "Cannot back up a database server: use its own tools, and keep the encryption key; give --data-dir for a file",
    );
  }
  const dataDir = values.get("data-dir") || environment[optionVariable("dataDir")] ||
    (OPTIONS.dataDir.defaultText ?? optionKey("dataDir"));
  return { server, dataDir, to: values.get("to") || undefined, isJson: switches.has("json") };
}

function readServer(
  values: ReadonlyMap<string, string>,
  environment: Environment,
): BackupServer | ConfigProblem {
  const url = parseServerUrl(values.get("server") ?? "");
  if (!url) {
    return new ConfigProblem(
      'Cannot use --server: it must be an address such as "https://sluice.example.org", without credentials',
    );
  }
  if (isUnprotected(url)) {
    return new ConfigProblem(
      `Cannot use "${url.origin}" as --server: a backup holds all secrets, so a server of another machine needs https`,
    );
  }
  const token = values.get("token") || environment.SLUICE_TOKEN || undefined;
  const auth = values.get("auth") || environment.SLUICE_AUTH || undefined;
  if (token !== undefined && auth !== undefined) {
    return new ConfigProblem("Cannot use both a token and credentials: give --token or --auth");
  }
  if (auth !== undefined && !readCredentials(auth)) {
    return new ConfigProblem('Cannot use --auth: it must be "user:password", neither part empty');
  }
  const basic = auth && `Basic ${new TextEncoder().encode(auth).toBase64()}`;
  return {
    url: baseUrlOf(url),
    authorization: token === undefined ? basic : `Bearer ${token}`,
  };
}
