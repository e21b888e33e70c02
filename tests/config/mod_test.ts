import { Double } from "../../src/base/json.ts";
import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { ConfigProblem, type Environment, type FileContent } from "../../src/config/given.ts";
import { helpText } from "../../src/config/help.ts";
import { OPTION_NAMES, optionKey } from "../../src/config/options.ts";
import { type Config, credentialVariables, parseConfig } from "../../src/config/parse.ts";

const KEY = btoa("k".repeat(32));
const FILES = new Map<string, FileContent>([
  ["all.yaml", { text: `host: 127.0.0.2\nport: 1234\nlog-format: json\nmax-upload: 2MB\nno-auth: true\n` }],
  ["port.yaml", { text: "port: 1234" }],
  ["globals.yaml", { text: "company:\n  name: acme\n  sizes: [1, 2.5]\non: true\n" }],
  ["globals.json", { text: '{"a": [1, null]}' }],
  ["with-globals.yaml", { text: "globals:\n  a: {b: 1}\n" }],
  ["empty.yaml", { text: "" }],
  ["list.yaml", { text: "- port" }],
  ["broken.yaml", { text: "port: [1" }],
  ["typo.yaml", { text: "prot: 1" }],
  ["nested.yaml", { text: "port: {a: 1}" }],
  ["null.yaml", { text: "port:" }],
  ["config.yaml", { text: "config: other.yaml" }],
  ["proto.yaml", { text: "__proto__: 1" }],
  ["login", { text: "anna:a:b\nignored\n" }],
  ["crlf", { text: "anna:pw\r\n" }],
  ["no-login", { text: "\nanna:pw" }],
  ["secret", { problem: "permission denied" }],
  ["defaults.yaml", { text: "- type: a\n" }],
  ["with-defaults.yaml", { text: "plugin-defaults:\n  - type: a\n    values: {b: 1}\n" }],
]);

function parse(args: readonly string[], environment: Environment = {}): Config | ConfigProblem {
  return parseConfig(args, environment, (path) => FILES.get(path) ?? { problem: "there is no such file" });
}

function accept(args: readonly string[], environment: Environment = {}): Config {
  const config = parse(args, environment);
  if (config instanceof ConfigProblem) throw new Error(config.message);
  return config;
}

Deno.test("parseConfig() returns the defaults when nothing is given", () => {
  const { timezone, ...config } = accept([]);
  assert(timezone.length > 0);
  assertEquals(config, {
    host: "127.0.0.1",
    port: 8080,
    dataDir: "./sluice-data",
    leaseTtlMs: 5_000,
    baseUrl: undefined,
    containerRuntime: "auto",
    protection: { type: "none" },
    logLevel: "info",
    logFormat: "text",
    durations: "seconds",
    typePrefix: "both",
    encryptionKey: undefined,
    drainTimeoutMs: 10_000,
    maxRenderMs: 1_000,
    maxUploadBytes: 10 * 1024 ** 3,
    fileRevisions: 20,
    maxConnections: undefined,
    maxConnectionsPerAddress: undefined,
    idleTimeoutMs: 75_000,
    scriptLimits: {
      memoryBytes: undefined,
      cpus: undefined,
      processes: undefined,
      timeMs: undefined,
      outputBytes: 1024 ** 3,
      fileBytes: 10 * 1024 ** 3,
      diskBytes: undefined,
    },
    scripts: undefined,
    httpAddresses: { allow: undefined, deny: undefined },
    retention: { maxAgeMs: undefined, maxCount: undefined },
    audit: "changes",
    auditAgeMs: 90 * 86_400_000,
    secrets: new Map(),
    envs: new Map(),
    isDeploy: false,
  });
});

const BASIC = { type: "basic", credentials: { user: "anna", password: "a:b" } } as const;

const ACCEPTED: readonly (readonly [string, readonly string[], Environment, Partial<Config>])[] = [
  ["a flag with a space", ["--port", "81"], {}, { port: 81 }],
  ["a second port", ["--compat-port", "0"], {}, { compatPort: 0 }],
  ["ISO text for durations", ["--durations=iso"], {}, { durations: "iso" }],
  ["a prefix of types", [], { SLUICE_TYPE_PREFIX: "Kestra" }, { typePrefix: "kestra" }],
  ["a flag with an equals sign", ["--port=82"], {}, { port: 82 }],
  ["where scripts run", ["--scripts", "Container"], {}, { scripts: "container" }],
  ["the older name of containers", ["--scripts", "docker"], {}, { scripts: "container" }],
  ["what runs containers", ["--container-runtime", "podman"], {}, { containerRuntime: "podman" }],
  [
    "what flows may do with containers",
    ["--container-allow", "volumes, Ports"],
    {},
    { containerAllow: ["volumes", "ports"] },
  ],
  ["the user of scripts", ["--script-user", "www-data"], {}, { scriptUserName: "www-data" }],
  ["the user of scripts by number", [], { SLUICE_SCRIPT_USER: "1000" }, { scriptUserName: "1000" }],
  ["addresses of requests", ["--http-deny=private, 8.8.8.0/24"], { SLUICE_HTTP_ALLOW: "10.0.0.1" }, {
    httpAddresses: { deny: ["private", "8.8.8.0/24"], allow: ["10.0.0.1"] },
  }],
  ["folders of flows", ["--local-files", "/a,/b", "--local-files=c", "--plugins", "/p"], {}, {
    localFiles: { folders: ["/a", "/b", "c"], ownPaths: ["/p"] },
    plugins: "/p",
  }],
  ["folders of flows as a list", [], { SLUICE_LOCAL_FILES: '["/a,b"]' }, {
    localFiles: { folders: ["/a,b"], ownPaths: [] },
  }],
  ["addresses of triggers", ["--listen-triggers", "10.0.0.0/8, All"], {}, {
    listenTriggers: ["10.0.0.0/8", "all"],
  }],
  ["tenants of secrets", ["--secret-tenants", "acme, beta"], {}, { secretTenants: ["acme", "beta"] }],
  ["trusted proxies", ["--trusted-proxies", "10.0.0.0/8, Loopback,2001:db8::1"], {}, {
    trustedProxies: ["10.0.0.0/8", "loopback", "2001:db8::1"],
  }],
  ["the last of two equal flags", ["--port=82", "--port=83"], {}, { port: 83 }],
  ["a variable", [], { SLUICE_PORT: "84", SLUICE_DATA_DIR: "/d" }, { port: 84, dataDir: "/d" }],
  ["no empty variable", [], { SLUICE_PORT: "" }, { port: 8080 }],
  ["no unknown variable", [], { SLUICE_SERVICE_HOST: "10.0.0.1" }, { host: "127.0.0.1" }],
  ["a file", ["--config", "all.yaml"], {}, { port: 1234, logFormat: "json", maxUploadBytes: 2 * 1024 ** 2 }],
  ["a file named by a variable", [], { SLUICE_CONFIG: "port.yaml" }, { port: 1234 }],
  ["an empty file", ["--config=empty.yaml"], {}, { port: 8080 }],
  ["a variable over the file", ["--config=port.yaml"], { SLUICE_PORT: "84" }, { port: 84 }],
  ["a flag over a variable", ["--port=85"], { SLUICE_PORT: "84" }, { port: 85 }],
  ["a good flag over a bad variable", ["--port=85"], { SLUICE_PORT: "tcp://10.0.0.1:80" }, { port: 85 }],
  ["a switch", ["--no-auth", "--host", "0.0.0.0"], {}, { host: "0.0.0.0", protection: { type: "none" } }],
  ["a switch with a value", ["--no-auth=false"], {}, { protection: { type: "none" } }],
  ["an IPv6 address", ["--host", "[::1]"], {}, { host: "::1" }],
  ["a base URL", ["--base-url", "https://a.example/x/"], {}, { baseUrl: "https://a.example/x" }],
  ["a file of plugin defaults", ["--plugin-defaults", "defaults.yaml"], {}, {
    pluginDefaults: { origin: '"defaults.yaml"', text: "- type: a\n" },
  }],
  ["plugin defaults in a variable", [], { SLUICE_PLUGIN_DEFAULTS: '[{"type": "a"}]' }, {
    pluginDefaults: { origin: "--plugin-defaults", text: '[{"type": "a"}]' },
  }],
  ["plugin defaults in the file", ["--config=with-defaults.yaml"], {}, {
    pluginDefaults: { origin: "--plugin-defaults", text: '[{"type":"a","values":{"b":1}}]' },
  }],
  ["a password with a colon", ["--basic-auth", "anna:a:b"], {}, { protection: BASIC }],
  ["a password with an equals sign", ["--basic-auth=anna:a=b"], {}, {
    protection: { type: "basic", credentials: { user: "anna", password: "a=b" } },
  }],
  ["a user that is set later", ["--basic-auth", "setup", "--host=::"], {}, {
    protection: { type: "setup" },
    host: "::",
  }],
  ["a password file", ["--basic-auth-file", "login", "--host=::"], {}, { protection: BASIC, host: "::" }],
  ["a password file of Windows", ["--basic-auth-file", "crlf"], {}, {
    protection: { type: "basic", credentials: { user: "anna", password: "pw" } },
  }],
  ["an encryption key", ["--encryption-key", KEY], {}, { encryptionKey: new Uint8Array(32).fill(107) }],
  ["a time zone", ["--timezone", "Europe/Paris"], {}, { timezone: "Europe/Paris" }],
  ["a log level in capitals", ["--log-level=DEBUG"], {}, { logLevel: "debug" }],
  ["a database", ["--database=http://127.0.0.1:4512/"], {
    SLUICE_DATABASE_TOKEN: "secret-token",
    SLUICE_ENCRYPTION_KEY: KEY,
  }, { database: { url: "http://127.0.0.1:4512", token: "secret-token" } }],
  ["Deno Deploy", [], { DENO_DEPLOY: "1", SLUICE_NO_AUTH: "true" }, { isDeploy: true }],
  ["an older Deno Deploy", [], { DENO_DEPLOYMENT_ID: "x", SLUICE_BASIC_AUTH: "anna:a:b" }, {
    isDeploy: true,
    protection: BASIC,
  }],
  ["secrets", [], { SECRET_A: "eA==", SECRET_: "no", SECRET___proto__: "y" }, {
    secrets: new Map([["A", "eA=="], ["__proto__", "y"]]),
  }],
  ["readable variables", [], { ENV_Name: "v", ENV_: "no", PATH: "no" }, { envs: new Map([["name", "v"]]) }],
  ["globals of a YAML file", ["--globals=globals.yaml"], {}, {
    globals: { company: { name: "acme", sizes: [1, new Double(2.5)] }, on: true },
  }],
  ["globals of a JSON file", ["--globals", "globals.json"], {}, { globals: { a: [1, null] } }],
  ["globals as text", [], { SLUICE_GLOBALS: '{"a": {"b": "c"}}' }, { globals: { a: { b: "c" } } }],
  ["globals of the configuration file", ["--config=with-globals.yaml"], {}, { globals: { a: { b: 1 } } }],
  ["the name of the installation", ["--environment=staging"], {}, { environment: "staging" }],
  ["another prefix", ["--env-prefix=APP_"], { APP_X: "1", ENV_Y: "2" }, { envs: new Map([["x", "1"]]) }],
  ["no prefix that opens credentials", ["--env-prefix=S"], {
    SLUICE_BASIC_AUTH: "anna:a:b",
    SECRET_A: "s",
    SHELL: "sh",
  }, { envs: new Map([["hell", "sh"]]) }],
];

for (const [what, args, environment, expected] of ACCEPTED) {
  Deno.test(`parseConfig() takes ${what}`, () => {
    const config = accept(args, environment);
    for (const [name, value] of Object.entries(expected)) assertEquals(config[name as keyof Config], value);
  });
}

const DRAIN_TIMEOUTS: readonly (readonly [string, number])[] = [
  ["30s", 30_000],
  ["500ms", 500],
  ["2m", 120_000],
  ["1.5", 1500],
  ["PT30S", 30_000],
  ["0", 0],
  ["PT1H", 3_600_000],
];
for (const [text, ms] of DRAIN_TIMEOUTS) {
  Deno.test(`parseConfig() reads the drain time-out "${text}" as ${ms} ms`, () => {
    assertEquals(accept(["--drain-timeout", text]).drainTimeoutMs, ms);
  });
}

for (const [text, ms] of [["75s", 75_000], ["1", 1_000], ["PT2M", 120_000], ["1h", 3_600_000]] as const) {
  Deno.test(`parseConfig() reads the idle time-out "${text}" as ${ms} ms`, () => {
    assertEquals(accept(["--idle-timeout", text]).idleTimeoutMs, ms);
  });
}

Deno.test("parseConfig() reads the longest time of a render, from 50 ms to a minute", () => {
  for (const [text, ms] of [["50ms", 50], ["2s", 2_000], ["PT1M", 60_000]] as const) {
    assertEquals(accept(["--max-render-time", text]).maxRenderMs, ms);
  }
  for (const text of ["49ms", "61s", "-1s", "fast"]) {
    const refused = parse(["--max-render-time", text]);
    assertInstanceOf(refused, ConfigProblem);
    assertStringIncludes(refused.message, "from 50 ms to one minute");
  }
});

const QUOTAS: readonly (readonly [string, Config["quotaLimits"]])[] = [
  ["--quota-flows=100", { flows: { others: 100, tenants: new Map() } }],
  ["--quota-kv-pairs=acme=5,beta=7", {
    kvPairs: { others: undefined, tenants: new Map([["acme", 5], ["beta", 7]]) },
  }],
  ["--quota-file-bytes=1KB, main = 2GB", {
    fileBytes: { others: 1024, tenants: new Map([["main", 2 * 1024 ** 3]]) },
  }],
];

for (const [argument, limits] of QUOTAS) {
  Deno.test(`parseConfig() reads ${argument}`, () => {
    const none = { fileBytes: undefined, kvPairs: undefined, secrets: undefined, flows: undefined };
    const { quotaLimits } = accept([argument]);
    assertEquals(quotaLimits, { ...none, executions: undefined, ...limits });
  });
}

for (const text of ["", "0", "1,2", "acme=1,acme=2", "Acme=1", "acme=", "=1", "1,", "acme=1=2"]) {
  Deno.test(`parseConfig() refuses --quota-executions=${text}`, () => {
    const problem = parse([`--quota-executions=${text}`]);
    assertInstanceOf(problem, ConfigProblem);
    assertStringIncludes(problem.message, "--quota-executions");
  });
}

Deno.test("parseConfig() reads where and when backups are made", () => {
  assertEquals(accept(["--backup-keep=3"]).backupSchedule, undefined);
  const config = accept(["--backup-dir=/b", "--backup-every=12h"]);
  assertEquals([config.backupDir, config.backupSchedule], ["/b", { everyMs: 12 * 3_600_000, keep: 7 }]);
  assertEquals(accept(["--backup-every=1d", "--backup-keep=3"]).backupSchedule, {
    everyMs: 86_400_000,
    keep: 3,
  });
});

const RETENTIONS: readonly (readonly [string, Config["retention"]])[] = [
  ["--retention-age=30d", { maxAgeMs: 30 * 86_400_000, maxCount: undefined }],
  ["--retention-age=1.5h", { maxAgeMs: 5_400_000, maxCount: undefined }],
  ["--retention-age=2W", { maxAgeMs: 14 * 86_400_000, maxCount: undefined }],
  ["--retention-age=P1DT12H", { maxAgeMs: 36 * 3_600_000, maxCount: undefined }],
  ["--retention-count=1000", { maxAgeMs: undefined, maxCount: 1000 }],
  ["--log-level=info", { maxAgeMs: undefined, maxCount: undefined }],
];
for (const [argument, retention] of RETENTIONS) {
  Deno.test(`parseConfig() reads what is kept from ${argument}`, () => {
    assertEquals(accept([argument]).retention, retention);
  });
}

Deno.test("parseConfig() reads the limits of scripts", () => {
  const { scriptLimits } = accept([
    ...["--script-memory=512MB", "--script-cpus=1.5", "--script-processes=64", "--script-time=2h"],
    ...["--script-output=1MB", "--script-files=2MB", "--script-disk=3MB"],
  ]);
  const mib = 1024 ** 2;
  assertEquals(scriptLimits, {
    ...{ memoryBytes: 512 * mib, cpus: 1.5, processes: 64, timeMs: 7_200_000 },
    ...{ outputBytes: mib, fileBytes: 2 * mib, diskBytes: 3 * mib },
  });
});

Deno.test("parseConfig() reads whether programs may be fetched for scripts", () => {
  assertEquals(accept([]).isOffline, undefined);
  assertEquals(accept(["--offline"]).isOffline, true);
});

const SIZES: readonly (readonly [string, number])[] = [
  ["1", 1],
  ["512MB", 512 * 1024 ** 2],
  ["10gb", 10 * 1024 ** 3],
  ["1.5KiB", 1536],
  ["2 T", 2 * 1024 ** 4],
];
for (const [text, bytes] of SIZES) {
  Deno.test(`parseConfig() reads the size "${text}" as ${bytes} bytes`, () => {
    assertEquals(accept(["--max-upload", text]).maxUploadBytes, bytes);
  });
}

Deno.test("credentialVariables() names the variables that hold credentials", () => {
  const names = ["SLUICE_BASIC_AUTH", "SLUICE_ENCRYPTION_KEY", "SECRET_A", "SECRET_"];
  const others = ["SLUICE_PORT", "PATH", "ENV_A", "A_SECRET_B", "SLUICE_BASIC_AUTH_FILE"];
  const environment = Object.fromEntries([...names, ...others].map((name) => [name, "x"]));
  assertEquals(credentialVariables(environment), names);
});

Deno.test("readCommand() removes credentials from the environment of the process", async () => {
  const module = new URL("../../src/config/mod.ts", import.meta.url).href;
  const code = `const { readCommand } = await import("${module}");
    const { config } = readCommand();
    console.log(JSON.stringify([config.secrets.get("A"), config.protection.type, Deno.env.toObject()]));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", code],
    env: { NO_COLOR: "1", SECRET_A: "eA==", SLUICE_BASIC_AUTH: "anna:pass-word", SLUICE_LOG_LEVEL: "warn" },
    stderr: "null",
  }).output();
  const [secret, protection, environment] = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals([secret, protection, environment["SLUICE_LOG_LEVEL"]], ["eA==", "basic", "warn"]);
  assertEquals(credentialVariables(environment), []);
});

const PROXIES =
  'addresses, ranges such as "10.0.0.0/8", "private" and "loopback", with commas between them; not all';

const REFUSED: readonly (readonly [readonly string[], Environment, string])[] = [
  [["--prot=1"], {}, `Unknown option "--prot": did you mean "--port"?; see --help`],
  [["-port"], {}, `Unknown option "-port": did you mean "--port"?; see --help`],
  [["--quite-unknown"], {}, `Unknown option "--quite-unknown"; see --help`],
  [["--basic-aut=anna:pw"], {}, `Unknown option "--basic-aut": did you mean "--basic-auth"?; see --help`],
  [["--__proto__=1"], {}, `Unknown option "--__proto__"; see --help`],
  [["start"], {}, `Cannot use the argument "start": options begin with "--"; see --help`],
  [["--trusted-proxies=all"], {}, `Cannot use "all" as --trusted-proxies: it must be ${PROXIES}`],
  [["--trusted-proxies=::/0"], {}, `Cannot use "::/0" as --trusted-proxies: it must be ${PROXIES}`],
  [
    ["--secret-tenants=a,,b"],
    {},
    'Cannot use "a,,b" as --secret-tenants: it must be ids of tenants with commas between them',
  ],
  [["--port"], {}, "Cannot use --port without a value: it must be a whole number from 0 to 65535"],
  [["--host", "--port=1"], {}, "Cannot use --host without a value: it must be a host name or an IP address"],
  [["--port=65536"], {}, `Cannot use "65536" as --port: it must be a whole number from 0 to 65535`],
  [["--port=-1"], {}, `Cannot use "-1" as --port: it must be a whole number from 0 to 65535`],
  [[], { SLUICE_PORT: "tcp://10.0.0.1:80" }, `Cannot use "tcp://10.0.0.1:80" as SLUICE_PORT: it must be`],
  [["--config=nested.yaml"], {}, `Cannot use "{"a":1}" as key "port" of "nested.yaml": it must be`],
  [["--config=null.yaml"], {}, `Cannot use "null" as key "port" of "null.yaml": it must be a whole number`],
  [["--config=typo.yaml"], {}, `Unknown key "prot" in "typo.yaml": did you mean "port"?; see --help`],
  [["--config=config.yaml"], {}, `Unknown key "config" in "config.yaml"; see --help`],
  [["--config=proto.yaml"], {}, `Unknown key "__proto__" in "proto.yaml"; see --help`],
  [
    ["--config=list.yaml"],
    {},
    `Cannot read the configuration file "list.yaml": it must be a map`,
  ],
  [["--globals=none.yaml"], {}, `Cannot read the file "none.yaml" of --globals: there is no such file`],
  [["--globals=list.yaml"], {}, `Cannot read the file "list.yaml" of --globals: it must be a map`],
  [["--globals={a: [pass}"], {}, "Cannot read the text of --globals: "],
  [["--globals="], {}, `Cannot use "" as --globals: it must be the path of a JSON or YAML file`],
  [["--config=broken.yaml"], {}, `Cannot read the configuration file "broken.yaml": `],
  [["--config=none.yaml"], {}, `Cannot read the configuration file "none.yaml": there is no such file`],
  [["--config="], {}, `Cannot read the configuration file "": there is no such file`],
  [["--host=a b"], {}, `Cannot use "a b" as --host: it must be a host name or an IP address`],
  [["--data-dir="], {}, `Cannot use "" as --data-dir: it must be the path of a folder`],
  [["--database=kv.db"], {}, `Cannot use "kv.db" as --database: it must be an address such as`],
  [["--database=http://kv"], {}, "Cannot use --database without its token: set SLUICE_DATABASE_TOKEN"],
  [["--database=http://kv", "--database-token=t"], {}, "Cannot use --database without --encryption-key"],
  [["--database-token=t"], {}, "Cannot use --database-token without --database"],
  [["--database-token=t t"], {}, "Cannot use the value of --database-token: it must be a text without"],
  [["--base-url=localhost:80"], {}, `Cannot use "localhost:80" as --base-url: it must be an address such as`],
  [["--base-url=http://a/?b"], {}, `Cannot use "http://a/?b" as --base-url: it must be`],
  [["--base-url=http://u:p@a"], {}, `Cannot use "http://a/" as --base-url: it must be`],
  [["--basic-auth=anna"], {}, `Cannot use the value of --basic-auth: it must be "user:password"`],
  [["--basic-auth=:pw"], {}, `Cannot use the value of --basic-auth: it must be "user:password"`],
  [
    ["--encryption-key=abc"],
    {},
    "Cannot use the value of --encryption-key: it must be base64 text of 32 bytes",
  ],
  [[`--encryption-key=${btoa("k".repeat(31))}`], {}, "Cannot use the value of --encryption-key"],
  [["--basic-auth-file=secret"], {}, `Cannot read the file "secret" of --basic-auth-file: permission denied`],
  [["--plugin-defaults=secret"], {}, `Cannot read the file "secret" of --plugin-defaults: permission denied`],
  [["--basic-auth-file=no-login"], {}, `of --basic-auth-file: its first line must be "user:password"`],
  [["--basic-auth=a:b", "--no-auth"], {}, "Cannot use --basic-auth and --no-auth together: give one of them"],
  [["--log-level=loud"], {}, `it must be "error", "warn", "info", "debug"`],
  [["--log-format=xml"], {}, `Cannot use "xml" as --log-format: it must be "text" or "json"`],
  [["--no-auth=perhaps"], {}, `Cannot use "perhaps" as --no-auth: it must be "true" or "false"`],
  [
    ["--drain-timeout=soon"],
    {},
    `Cannot use "soon" as --drain-timeout: it must be a duration up to one hour`,
  ],
  [["--drain-timeout=2h"], {}, `Cannot use "2h" as --drain-timeout: it must be a duration up to one hour`],
  [["--idle-timeout=0"], {}, `Cannot use "0" as --idle-timeout: it must be a duration from one second`],
  [["--max-connections=0"], {}, `Cannot use "0" as --max-connections: it must be a whole number from 1`],
  [["--drain-timeout=-PT1S"], {}, `Cannot use "-PT1S" as --drain-timeout: it must be`],
  [["--timezone=Mars/Base"], {}, `Cannot use "Mars/Base" as --timezone: it must be the name of a time zone`],
  [
    ["--script-time=21d"],
    {},
    `Cannot use "21d" as --script-time: it must be a duration from one second to 20 days, such as "10m", "2h" or "PT2H"`,
  ],
  [
    ["--script-cpus=0"],
    {},
    `Cannot use "0" as --script-cpus: it must be a number of processors from 0.01, such as "0.5" or "2"`,
  ],
  [
    ["--scripts=maybe"],
    {},
    `Cannot use "maybe" as --scripts: it must be "process", "container" (or "docker") or "off"`,
  ],
  [
    ["--container-runtime=lxc"],
    {},
    'Cannot use "lxc" as --container-runtime: it must be "auto", "docker", "podman", "nerdctl" or "none"',
  ],
  [
    ["--container-allow=volumes,root"],
    {},
    'Cannot use "volumes,root" as --container-allow: it must be names with commas between them: volumes, privileged, networks, ports, hosts, manage',
  ],
  [["--http-deny=10.0.0.0/33"], {}, `Cannot use "10.0.0.0/33" as --http-deny: it must be addresses, ranges`],
  [["--max-upload=0"], {}, `Cannot use "0" as --max-upload: it must be a number of bytes, or a size`],
  [["--max-upload=10 apples"], {}, `Cannot use "10 apples" as --max-upload: it must be`],
  [
    ["--retention-age=30"],
    {},
    `Cannot use "30" as --retention-age: it must be a duration of at least one minute`,
  ],
  [["--backup-every=10s"], {}, `Cannot use "10s" as --backup-every: it must be`],
  [["--backup-keep=0"], {}, `Cannot use "0" as --backup-keep: it must be`],
  [
    [
      "--backup-every=1d",
      "--database=https://kv.example.org",
      "--database-token=0123456789ab",
      `--encryption-key=${"A".repeat(43)}=`,
    ],
    {},
    "Cannot use --backup-every with --database",
  ],
  [["--retention-age=10s"], {}, `Cannot use "10s" as --retention-age: it must be`],
  [["--retention-age=-P1D"], {}, `Cannot use "-P1D" as --retention-age: it must be`],
  [["--retention-count=0"], {}, `Cannot use "0" as --retention-count: it must be a whole number from 1`],
  [["--retention-count=1e3"], {}, `Cannot use "1e3" as --retention-count: it must be a whole number from 1`],
  [["--env-prefix="], {}, `Cannot use "" as --env-prefix: it must be letters`],
  [
    ["--host=0.0.0.0"],
    {},
    `Cannot listen on "0.0.0.0" without authentication: everybody who reaches it could run flows`,
  ],
  [
    ["--host=::"],
    {},
    "give --basic-auth user:password (or --basic-auth-file), --basic-auth setup, or say --no-auth",
  ],
  [[], { DENO_DEPLOY: "true" }, 'set SLUICE_BASIC_AUTH to "user:password", or say SLUICE_NO_AUTH=true'],
];

for (const [args, environment, expected] of REFUSED) {
  Deno.test(`parseConfig() refuses ${[...args, ...Object.keys(environment)].join(" ")}`, () => {
    const problem = parse(args, environment);
    assertInstanceOf(problem, ConfigProblem);
    assertStringIncludes(problem.message, expected);
    assert(!problem.message.includes("\n"));
  });
}

Deno.test("helpText() names every option", () => {
  for (const name of OPTION_NAMES) assertStringIncludes(helpText(), `--${optionKey(name)}`);
});
