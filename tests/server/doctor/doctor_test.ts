/** `sluice doctor` as operators run it: on the data directory of a real server. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { decodeJson, encodeJson } from "../../../src/store/codec.ts";
import { META_KEY, rowGroupsOf } from "../../../src/store/keys.ts";
import { KvStore } from "../../../src/store/kv_store.ts";
import { type Finished, ServerProcess } from "../../support/processes/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const FLOW =
  "id: hello\nnamespace: demo\ntasks:\n  - {id: say, type: io.svc.plugin.core.log.Log, message: hi}\n";
const STARTS = 5;

interface JsonReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly {
    readonly code: string;
    readonly count: number;
    readonly examples: string[];
  }[];
  readonly repaired?: { readonly rows: number; readonly copy: string };
  readonly exitCode: number;
}

/** Calls `use` with the directory of a server that has stopped in order, and has run some executions. */
async function withData(use: (dataDir: string) => Promise<void>): Promise<void> {
  await withTempDir(async (root) => {
    const dataDir = `${root}/data`;
    {
      await using server = await ServerProcess.start({ dataDir });
      const headers = { "content-type": "application/x-yaml" };
      await server.json("POST", "/flows", { headers, body: FLOW });
      for (let n = 0; n < STARTS; n++) await server.json("POST", "/executions/demo/hello?wait=true");
      await server.kill("SIGTERM");
    }
    await use(dataDir);
  });
}

async function doctor(dataDir: string, ...options: readonly string[]): Promise<Finished> {
  return await ServerProcess.run(["doctor", "--data-dir", dataDir, ...options]);
}

async function doctorJson(
  dataDir: string,
  ...options: readonly string[]
): Promise<JsonReport & { code: number }> {
  const { code, log } = await doctor(dataDir, "--json", ...options);
  return { ...JSON.parse(log.slice(log.indexOf("{"))), code };
}

async function withStore(dataDir: string, use: (store: KvStore) => Promise<void>): Promise<void> {
  const store = await KvStore.open(`${dataDir}/sluice.db`);
  try {
    await use(store);
  } finally {
    store.close();
  }
}

async function loseCatalog(dataDir: string): Promise<void> {
  await withStore(dataDir, async (store) => {
    const keys = await Array.fromAsync(store.list(rowGroupsOf("main")));
    assert(keys.length > 0);
    await store.commit({
      checks: [],
      messages: [],
      mutations: keys.map(({ key }) => ({ type: "delete", key })),
    });
  });
}

Deno.test("doctor finds nothing wrong in a healthy directory, as text and as JSON", async () => {
  await withData(async (dataDir) => {
    const { code, log } = await doctor(dataDir);
    assertEquals(code, 0, log);
    assertMatch(log, /executions +5\n/);
    assertStringIncludes(log, "Nothing is wrong");
    const report = await doctorJson(dataDir);
    assertEquals([report.code, report.exitCode, report.findings, report.counts.executions], [
      0,
      0,
      [],
      STARTS,
    ]);
  });
});

Deno.test("doctor refuses a directory that a server uses, and one without a database", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({ dataDir: `${root}/data` });
    const used = await doctor(`${root}/data`);
    assertEquals(used.code, 2);
    assertStringIncludes(used.log, `it is in use by process ${server.pid}; stop that process`);
    const absent = await doctor(`${root}/absent`);
    assertEquals([absent.code, absent.log], [
      2,
      `Cannot use the data directory "${root}/absent": it has no database\n`,
    ]);
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["data"]);
  });
});

Deno.test("doctor reports a lost catalog with code 1, and --repair writes it again and keeps a copy", async () => {
  await withData(async (dataDir) => {
    await loseCatalog(dataDir);
    await Deno.mkdir(`${dataDir}/catalog`);
    await Deno.writeTextFile(`${dataDir}/catalog/main`, "columns of rows that are lost");
    const found = await doctorJson(dataDir);
    assertEquals(found.code, 1);
    assertEquals(found.findings.map(({ code, count }) => [code, count]), [["row_missing", STARTS]]);
    const text = await doctor(dataDir);
    assertStringIncludes(text.log, "run it with --repair");
    const repaired = await doctorJson(dataDir, "--repair");
    assertEquals([repaired.code, repaired.findings, repaired.repaired?.rows], [0, [], STARTS]);
    assertEquals([...Deno.readDirSync(dataDir)].filter(({ name }) => name === "catalog"), []);
    const copy = await KvStore.open(`${repaired.repaired?.copy}/sluice.db`);
    assertEquals((await Array.fromAsync(copy.list(rowGroupsOf("main")))).length, 0);
    copy.close();
    await using server = await ServerProcess.start({ dataDir });
    const { total } = await server.json<{ total: number }>("GET", "/executions/search?size=1");
    assertEquals(total, STARTS);
  });
});

Deno.test("doctor --repair raises the format of earlier data, since it writes the chain of this one", async () => {
  await withData(async (dataDir) => {
    await loseCatalog(dataDir);
    await withStore(dataDir, async (store) => {
      const meta = decodeJson((await store.get(META_KEY))?.value ?? new Uint8Array()) as object;
      const value = encodeJson({ ...meta, format: 3, minReader: 3 });
      await store.commit({
        checks: [],
        messages: [],
        mutations: [{ type: "set", key: META_KEY, value }],
      });
    });
    const { code, log } = await doctor(dataDir, "--repair", "--no-copy");
    assertEquals(code, 0, log);
    await withStore(dataDir, async (store) => {
      const meta = decodeJson((await store.get(META_KEY))?.value ?? new Uint8Array()) as {
        minReader: number;
      };
      assertEquals(meta.minReader, 5);
    });
  });
});

Deno.test("doctor names damaged pages of the file, a lost key and a wrong key", async () => {
  await withData(async (dataDir) => {
    const other = btoa(String.fromCharCode(...new Uint8Array(32).fill(9)));
    const wrong = await doctorJson(dataDir, "--encryption-key", other);
    assertEquals([wrong.code, wrong.findings.map(({ code }) => code)], [1, ["meta_differs"]]);
    await Deno.rename(`${dataDir}/encryption.key`, `${dataDir}/elsewhere`);
    const lost = await doctorJson(dataDir);
    assertEquals([lost.code, lost.findings.map(({ code }) => code)], [1, ["key_missing"]]);
    assertEquals([...Deno.readDirSync(dataDir)].some(({ name }) => name === "encryption.key"), false);
    const bytes = await Deno.readFile(`${dataDir}/sluice.db`);
    // The second page only says where the others belong.
    await Deno.writeFile(`${dataDir}/sluice.db`, bytes.fill(0xff, 4_096, 8_192));
    const readable = await doctorJson(dataDir);
    assertEquals([readable.code, readable.findings.some(({ code }) => code === "file_damaged")], [1, true]);
    await Deno.writeFile(`${dataDir}/sluice.db`, bytes.fill(0xff, 8_192, 12_288));
    const damaged = await doctor(dataDir);
    assertEquals(damaged.code, 2, damaged.log);
    assertMatch(damaged.log, /^Cannot check the data directory ".*": .*malformed/);
  });
});

Deno.test("doctor repairs nothing in a file of which it cannot read all", async () => {
  await withData(async (dataDir) => {
    await loseCatalog(dataDir);
    const path = `${dataDir}/sluice.db`;
    const bytes = await Deno.readFile(path);
    await Deno.writeFile(path, bytes.fill(0xff, bytes.length - 4_096));
    const { code, log } = await doctor(dataDir, "--repair");
    assert(code !== 0, log);
    assertEquals(log.includes("Repaired"), false, log);
    assertEquals([...Deno.readDirSync(dataDir)].some(({ name }) => name.startsWith("before-repair")), false);
  });
});

Deno.test("doctor --help names its options and exit codes, and an unknown option is refused", async () => {
  const help = await ServerProcess.run(["doctor", "--help"]);
  assertEquals(help.code, 0);
  for (const text of ["--data-dir", "--json", "--repair", "--no-copy", "Exit codes"]) {
    assertStringIncludes(help.log, text);
  }
  const unknown = await ServerProcess.run(["doctor", "--repiar"]);
  assertEquals(unknown, {
    code: 2,
    log: 'Unknown option "--repiar" of doctor: did you mean "--repair"?; see doctor --help\n',
  });
});
