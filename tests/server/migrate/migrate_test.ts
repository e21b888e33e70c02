/** `sluice migrate` between complete servers in the test process, and from files. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ConfigProblem } from "../../../src/config/given.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { parseMigrate } from "../../../src/config/migrate.ts";
import { runMigrate } from "../../../src/server/migrate/migrate.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { fileForm, json } from "../../support/flows/request_bodies.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { buildZip } from "../../support/zip_builder.ts";

const SOURCE = "http://source.test";
const TARGET = "http://target.test";

const LOG = "tasks:\n  - {id: say, type: io.kestra.plugin.core.log.Log, message: hi}\n";
const WORKS = `id: works\nnamespace: team\n${LOG}`;
const OLD_NAME =
  "id: old\nnamespace: team.child\ntasks:\n  - {id: say, type: io.kestra.core.tasks.log.Log, message: hi}\n";
const READS_SECRET = "id: reads\nnamespace: team\ntasks:\n" +
  `  - {id: say, type: io.kestra.plugin.core.log.Log, message: "{{ secret('API_KEY') }}"}\n`;
const REFUSED = "id: refused\nnamespace: team\ntasks:\n  - {id: say, type: io.kestra.plugin.core.log.Lag}\n";

interface Result {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

interface JsonReport {
  readonly flows: readonly { readonly origin: string; readonly id?: string; readonly verdict: string }[];
  readonly imported: readonly { readonly kind: string; readonly name: string; readonly result: string }[];
  readonly secrets: readonly { readonly name: string; readonly namespaces: readonly string[] }[];
  readonly contents?: { readonly namespaces: number; readonly files: number; readonly keys: number };
  readonly summary: Readonly<Record<string, number>>;
  readonly stopped?: string;
}

/** Runs the command; requests to a host go to its server. */
async function migrate(
  args: readonly string[],
  servers: ReadonlyMap<string, Harness> = new Map(),
  clock: Clock = new FakeClock(),
): Promise<Result> {
  const options = parseMigrate(args, {});
  assert(!(options instanceof ConfigProblem));
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await runMigrate(options, {
    clock,
    print: (text) => void out.push(text),
    printError: (text) => void errors.push(text),
    send: async (request) => {
      const url = new URL(request.url);
      const server = servers.get(url.origin);
      if (!server) throw new TypeError("fetch failed", { cause: new Error("connection refused") });
      const { method, headers } = request;
      const body = request.body ? await request.bytes() : undefined;
      return await server.request(method, url.pathname + url.search, { headers, body });
    },
  });
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}

async function migrateJson(
  args: readonly string[],
  servers?: ReadonlyMap<string, Harness>,
): Promise<JsonReport & { readonly code: number }> {
  const { code, out, errors } = await migrate([...args, "--json"], servers);
  assertEquals(errors, "");
  return { ...JSON.parse(out), code };
}

async function filledServer(): Promise<Harness> {
  const server = await Harness.start();
  for (const source of [WORKS, OLD_NAME, READS_SECRET]) await server.save(source);
  const upload = await server.request(
    "POST",
    "/namespaces/team/files?path=/lib/a.zip",
    fileForm("content", "x"),
  );
  assertEquals(upload.status, 200);
  await server.request("PUT", "/namespaces/team/kv/number", json("12345678901234567890"));
  await server.request("PUT", "/namespaces/team/kv/text", json('"a text"'));
  await server.request("PUT", "/namespaces/team/kv/span", {
    headers: { "content-type": "text/plain", ttl: "PT1H", description: "a span" },
    body: "PT5M",
  });
  await server.request("PUT", "/namespaces/other/kv/left", json("1"));
  return server;
}

Deno.test("migrate says of each file of a folder what works, differs and is refused, and why", async () => {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/deep`);
    await Deno.writeTextFile(`${folder}/one.yml`, WORKS);
    await Deno.writeTextFile(`${folder}/deep/two.yaml`, `${REFUSED}---\n${OLD_NAME}`);
    await Deno.writeTextFile(`${folder}/broken.yml`, "id: [");
    await Deno.writeTextFile(`${folder}/compose.yml`, "services: {}");
    await Deno.writeTextFile(`${folder}/notes.txt`, "no flow");
    const report = await migrateJson([folder]);
    assertEquals(report.flows.map(({ origin, verdict }) => [origin, verdict]), [
      ["broken.yml", "refused"],
      ["deep/two.yaml (1)", "refused"],
      ["deep/two.yaml (2)", "works"],
      ["one.yml", "works"],
    ]);
    assertEquals([report.code, report.summary], [1, { works: 2, differs: 0, refused: 2 }]);
    const { out, code } = await migrate([folder, "--namespace", "team"]);
    assertEquals(code, 1);
    assertMatch(
      out,
      /refused +team\.refused +deep\/two\.yaml \(1\)\n +error: line 4, column \d+: tasks\[0\]/,
    );
    assertMatch(out, /Flows: 3 \(2 working, 0 differing, 1 refused\); --apply imports the others$/);
  });
});

Deno.test("migrate says every two seconds how many flows are checked", async () => {
  await withTempDir(async (folder) => {
    for (const id of ["a", "b", "c"]) {
      await Deno.writeTextFile(`${folder}/${id}.yml`, WORKS.replace("id: works", `id: ${id}`));
    }
    class PassingClock extends FakeClock {
      #looks = 0;
      /** @inheritdoc */
      override monotonicMs(): number {
        return 1_000 * this.#looks++;
      }
    }
    const { errors } = await migrate([folder], new Map(), new PassingClock());
    assertEquals(errors, "  Flows checked: 2");
  });
});

Deno.test("migrate reads the flows of an archive, and refuses a damaged one", async () => {
  await withTempDir(async (folder) => {
    const zip = buildZip([{ name: "team.works.yml", data: WORKS }, { name: "a/b.txt", data: "no flow" }]);
    await Deno.writeFile(`${folder}/flows.zip`, zip);
    const report = await migrateJson([`${folder}/flows.zip`]);
    assertEquals(report.flows.map(({ id, verdict }) => [id, verdict]), [["works", "works"]]);
    await Deno.writeFile(`${folder}/flows.zip`, zip.slice(0, zip.length - 10));
    const { code, errors } = await migrate([`${folder}/flows.zip`]);
    assertEquals(code, 2);
    assertStringIncludes(errors, "zip");
  });
});

Deno.test("migrate refuses a path without flows", async () => {
  const { code, errors } = await migrate(["/does/not/exist"]);
  assertEquals([code, errors], [2, 'Cannot read "/does/not/exist": it does not exist']);
});

Deno.test("migrate checks the flows of a server and counts what its namespaces hold", async () => {
  await using source = await filledServer();
  const report = await migrateJson([SOURCE], new Map([[SOURCE, source]]));
  assertEquals(report.summary, { works: 3, differs: 0, refused: 0 });
  assertEquals(report.contents, { namespaces: 4, files: 1, keys: 4 });
  assertEquals(report.secrets, [{ name: "API_KEY", namespaces: ["team"] }]);
  assertEquals(report.code, 0);
});

Deno.test("migrate checks flows with the plugin defaults of their namespaces, and imports these first", async () => {
  const lacking =
    "id: lacking\nnamespace: team.child\ntasks:\n  - {id: say, type: io.kestra.plugin.core.log.Log}\n";
  const settings = {
    description: "ours",
    variables: { x: { y: 1 } },
    pluginDefaults: [{ type: "io.kestra.plugin.core.log.Log", values: { message: "hi" } }],
  };
  await using source = await Harness.start();
  await source.json("POST", "/namespaces", json({ id: "team", ...settings }));
  await source.save(lacking);
  await using target = await Harness.start();
  await target.save(lacking.replace("Log}", "Log, message: other}"));
  const servers = new Map([[SOURCE, source], [TARGET, target]]);
  const args = [SOURCE, "--apply", "--target", TARGET, "--overwrite"];
  const first = await migrateJson(args, servers);
  assertEquals(first.imported.map(({ kind, name, result }) => `${kind} ${name} ${result}`), [
    "namespace team created",
    "flow team.child.lacking replaced",
  ]);
  assertEquals(await target.json("GET", "/namespaces/team"), await source.json("GET", "/namespaces/team"));
  const second = await migrateJson(args, servers);
  assertEquals(second.imported.map(({ result }) => result), ["unchanged", "unchanged"]);
  await target.json("PUT", "/namespaces/team", json({ ...settings, variables: { x: 2 } }));
  const third = await migrateJson([SOURCE, "--apply", "--target", TARGET], servers);
  assertEquals(third.imported.map(({ result }) => result), ["kept", "unchanged"]);
});

Deno.test("migrate --apply imports files, KV pairs and flows; repeated it changes nothing", async () => {
  await using source = await filledServer();
  await using target = await Harness.start();
  const servers = new Map([[SOURCE, source], [TARGET, target]]);
  const args = [SOURCE, "--apply", "--target", TARGET, "--namespace", "team"];
  const first = await migrateJson(args, servers);
  assertEquals(first.imported.map(({ kind, name, result }) => `${kind} ${name} ${result}`).sort(), [
    "file team/lib/a.zip created",
    "flow team.child.old created",
    "flow team.reads created",
    "flow team.works created",
    "kv team number created",
    "kv team span created",
    "kv team text created",
  ]);
  assertEquals(first.code, 0);
  const file = await target.request("GET", "/namespaces/team/files?path=/lib/a.zip");
  assertEquals(await file.text(), "content");
  for (
    const [key, text] of [
      ["number", '"type":"NUMBER","value":12345678901234567890'],
      ["text", '"type":"STRING","value":"a text"'],
      ["span", '"type":"DURATION","value":"PT5M"'],
    ]
  ) {
    const response = await target.request("GET", `/namespaces/team/kv/${key}`);
    assertStringIncludes(await response.text(), String(text));
  }
  const keys = await target.json("GET", "/namespaces/team/kv") as JsonObject[];
  const span = keys.find(({ key }) => key === "span");
  assertEquals([span?.description, typeof span?.expirationDate], ["a span", "string"]);
  const second = await migrateJson(args, servers);
  assertEquals(new Set(second.imported.map(({ result }) => result)), new Set(["unchanged"]));
});

Deno.test("migrate --apply keeps what the target has with other content, unless it may overwrite it", async () => {
  await using source = await filledServer();
  await using target = await Harness.start();
  const other = WORKS.replace("hi", "own");
  await target.save(other);
  await target.request("PUT", "/namespaces/team/kv/number", json("1"));
  const servers = new Map([[SOURCE, source], [TARGET, target]]);
  const args = [SOURCE, "--apply", "--target", TARGET, "--namespace", "team"];
  const kept = await migrateJson(args, servers);
  assertEquals(kept.imported.filter(({ result }) => result === "kept").map(({ name }) => name), [
    "team number",
    "team.works",
  ]);
  assertEquals(kept.code, 1);
  const overwritten = await migrateJson([...args, "--overwrite"], servers);
  assertEquals(overwritten.imported.filter(({ result }) => result === "replaced").map(({ name }) => name), [
    "team number",
    "team.works",
  ]);
  assertEquals(overwritten.code, 0);
  const { source: saved } = await target.json("GET", "/flows/team/works?source=true") as { source: string };
  assertEquals(saved, WORKS);
});

Deno.test("migrate --apply --disabled imports flows disabled", async () => {
  await using target = await Harness.start();
  const servers = new Map([[TARGET, target]]);
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/one.yml`, WORKS);
    const args = [folder, "--apply", "--disabled", "--target", TARGET];
    for (const expected of ["created", "unchanged"]) {
      assertEquals((await migrateJson(args, servers)).imported.map(({ result }) => result), [expected]);
    }
  });
  assertEquals((await target.json("GET", "/flows/team/works") as { disabled: boolean }).disabled, true);
});

Deno.test("migrate --apply --disabled imports the others where a flow cannot be disabled", async () => {
  await using target = await Harness.start();
  const servers = new Map([[TARGET, target]]);
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/one.yml`, `disabled: &off false\nvariables: {off: *off}\n${WORKS}`);
    await Deno.writeTextFile(`${folder}/two.yml`, OLD_NAME);
    const { code, imported } = await migrateJson(
      [folder, "--apply", "--disabled", "--target", TARGET],
      servers,
    );
    assertEquals([code, imported.map(({ result }) => result)], [1, ["failed", "created"]]);
  });
});

for (const options of [[], ["--disabled"]]) {
  Deno.test(`migrate --apply ${options.join()} leaves out the byte order marks of files`, async () => {
    await using target = await Harness.start();
    const servers = new Map([[TARGET, target]]);
    await withTempDir(async (folder) => {
      await Deno.writeTextFile(`${folder}/one.yml`, `\uFEFF---\n${WORKS}`);
      await Deno.writeTextFile(`${folder}/two.yml`, `\uFEFF${OLD_NAME}`);
      const args = [folder, "--apply", ...options, "--target", TARGET];
      for (const expected of ["created", "unchanged"]) {
        const { imported } = await migrateJson(args, servers);
        assertEquals(imported.map(({ result }) => result), [expected, expected]);
      }
    });
  });
}

Deno.test("migrate says why a server cannot be used", async () => {
  await using target = await Harness.start({ credentials: { user: "ann", password: "secret" } });
  const servers = new Map([[TARGET, target]]);
  const unreachable = await migrate([SOURCE], servers);
  assertEquals([unreachable.code, unreachable.errors], [2, `Cannot reach ${SOURCE}: connection refused`]);
  const refused = await migrate([TARGET], servers);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.errors, `Cannot use ${TARGET}: it requires credentials (401)`);
  const wrong = await migrate([TARGET, "--source-auth", "ann:other"], servers);
  assertStringIncludes(wrong.errors, "the credentials are refused (401)");
  const right = await migrate([TARGET, "--source-auth", "ann:secret"], servers);
  assertEquals(right.code, 0);
  assertStringIncludes(right.out, "The source has no flows");
});
