import { assert, assertEquals, assertGreater } from "@std/assert";
import { integrationOf, INTEGRATIONS } from "../src/flow/schema/integrations.ts";
import { NEAREST_WAYS } from "../src/flow/schema/nearest_ways.ts";
import { createTaskCatalog } from "../src/tasks/registry.ts";
import { createTriggerCatalog } from "../src/triggers/registry.ts";
import { apiTypes, writtenTypes } from "./support/documents/api_types.ts";
import { withOptionTable } from "./support/documents/configuration_doc.ts";
import { DIFFERENCES, EVIDENCE, evidenceOf, INVENTED_TYPES } from "./support/documents/integration_facts.ts";
import { integrationRows, integrationsDocument, USED_TYPES } from "./support/documents/integrations_doc.ts";
import { readTestedTypes } from "./support/documents/tested_types.ts";
import { readSources } from "./support/documents/source_facts.ts";

const TASK = /deno(?:@[\d.]+)? task ([a-z][a-z:]*)/g;
/** A path in back quotes: a TypeScript file or a folder. */
const PATH = /`([a-z_][a-z0-9_./-]*(?:\.ts|\/))`/g;
const COMMENT = /\/\*\*[^]*?\*\/|\/\/ .*/g;
const LINK = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g;

async function readDocuments(): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const folder of ["", "docs/"]) {
    for await (const entry of Deno.readDir(folder || ".")) {
      const path = folder + entry.name;
      if (entry.name.endsWith(".md")) documents.set(path, await Deno.readTextFile(path));
    }
  }
  return documents;
}

Deno.test("docs/CONFIGURATION.md has the current option table; `deno task docs:config` writes it", async () => {
  const document = await Deno.readTextFile("docs/CONFIGURATION.md");
  assertEquals(document, withOptionTable(document));
});

Deno.test("src/ui/app/api/schemas.ts is current; `deno task ui:types` writes it", async () => {
  assertEquals(await writtenTypes(), await apiTypes());
});

Deno.test("docs/INTEGRATIONS.md is current; `deno task docs:integrations` writes it", async () => {
  assertEquals(await Deno.readTextFile("docs/INTEGRATIONS.md"), integrationsDocument());
});

const ROWS = INTEGRATIONS.flatMap((integration) => integrationRows(integration));

Deno.test("docs/INTEGRATIONS.md has one row for each type of an integration, and for each type that flows use", () => {
  const names = ROWS.map(({ name }) => name);
  assertEquals(names.filter((name, index) => names.indexOf(name) !== index), []);
  const shown = new Set(ROWS.flatMap(({ name, aliases }) => [name, ...aliases]));
  const types = [...createTaskCatalog().list(), ...createTriggerCatalog().list()].map(({ type }) => type);
  const expected = [...USED_TYPES, ...types.filter((type) => integrationOf(type))];
  assertEquals(expected.filter((name) => !shown.has(name)), []);
});

Deno.test("each row of docs/INTEGRATIONS.md says what its type was tested against, or what is nearest", () => {
  assertEquals(
    ROWS.filter(({ kind, tested }) => kind === "type" && tested === "").map(({ name }) => name),
    [],
  );
  assertEquals(ROWS.filter(({ status }) => !/^(?:works|differs: .|not here: .)/.test(status)), []);
});

Deno.test("the tests that integration_facts.ts names have run each of their types; tested_types.ts records them", () => {
  const tested = new Map(Object.entries(readTestedTypes()));
  const types = [...createTaskCatalog().list(), ...createTriggerCatalog().list()];
  // A type that requests fire has no code of its own that could be recorded.
  const isRun = (form: string) => form !== "planned" && form !== "webhook";
  const untested = types.filter(({ type, form }) => isRun(form) && integrationOf(type)).filter((
    { type },
  ) => !evidenceOf(type)?.tests.some((file) => tested.get(type)?.includes(file)));
  assertEquals(untested.map(({ type }) => type), []);
});

Deno.test("integration_facts.ts and nearest_ways.ts have no entry without a type", () => {
  const here = ROWS.filter(({ kind }) => kind === "type").map(({ name }) => name);
  const missing = ROWS.filter(({ kind }) => kind === "missing").map(({ name }) => name);
  const isOf = (names: readonly string[]) => (entry: string) =>
    names.some((name) => entry.endsWith(".") ? name.startsWith(entry) : name === entry);
  const evidence = EVIDENCE.flatMap(({ types }) => types);
  const stale = [
    ...[...evidence, ...DIFFERENCES.keys()].filter((entry) => !isOf(here)(entry)),
    ...[...NEAREST_WAYS.keys(), ...INVENTED_TYPES].filter((entry) => !isOf(missing)(entry)),
  ];
  assertEquals(stale, []);
});

Deno.test("documents name only tasks of deno.json", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile("deno.json"));
  for (const [path, document] of await readDocuments()) {
    for (const [, task = ""] of document.matchAll(TASK)) {
      assert(
        Object.hasOwn(tasks, task),
        `"${path}" names the task "${task}", which deno.json does not have`,
      );
    }
  }
});

Deno.test("documents link only to existing files", async () => {
  for (const [path, document] of await readDocuments()) {
    for (const [, target = ""] of document.matchAll(LINK)) {
      if (/^[a-z]+:/.test(target)) continue;
      const file = new URL(target, `file://${Deno.cwd()}/${path}`);
      const isPresent = await Deno.stat(file).then(() => true, () => false);
      assert(isPresent, `"${path}" links to "${target}", which does not exist`);
    }
  }
});

const MEASUREMENT = /\d[\d,.]*\s?(?:ms|MB|\/s)/g;

Deno.test("README.md shows only measurements of the named row of docs/PERFORMANCE.md", async () => {
  const rows = [...(await Deno.readTextFile("docs/PERFORMANCE.md")).matchAll(/^\| (\d+) +\|(.*)$/gm)];
  const shown = [...(await Deno.readTextFile("README.md")).matchAll(/^\|(.*)\| (\d+) +\|$/gm)];
  assertGreater(shown.length, 3);
  for (const [, text = "", number = ""] of shown) {
    const measured = rows.filter(([, rowNumber]) => rowNumber === number).map(([, , cells = ""]) => cells)
      .join();
    for (const [value] of text.matchAll(MEASUREMENT)) {
      assert(measured.includes(` ${value} `), `README.md shows ${value}, which row ${number} does not have`);
    }
  }
});

/** Every form in which a document may write a path: from the root, from any folder below `src` or `tests`, or the name alone. */
async function knownPaths(): Promise<Set<string>> {
  const known = new Set<string>(["main.ts", "docs/"]);
  for (const top of ["src", "tests"]) {
    for (const { path } of await readSources(top)) {
      const parts = path.split("/");
      for (let from = 0; from < parts.length; from++) {
        for (let to = from + 1; to < parts.length; to++) known.add(`${parts.slice(from, to).join("/")}/`);
        known.add(parts.slice(from).join("/"));
      }
    }
  }
  return known;
}

Deno.test("documents and comments name only existing files and folders", async () => {
  const known = await knownPaths();
  const texts = new Map(await readDocuments());
  for (const { path, source } of await readSources("src")) {
    texts.set(path, source.match(COMMENT)?.join("\n") ?? "");
  }
  const unknown: string[] = [];
  for (const [path, text] of texts) {
    for (const [, name = ""] of text.matchAll(PATH)) if (!known.has(name)) unknown.push(`${path}: ${name}`);
  }
  assertEquals(unknown, []);
});
