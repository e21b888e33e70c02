import { assertEquals } from "@std/assert";
import { EFFECT_FILES, findProblems, mayImport, PLATFORM_PLACES, ROOMS } from "./support/checks/layers.ts";
import { readFacts, readSources, type SourceFile } from "./support/documents/source_facts.ts";
import { findUnusedExports } from "./support/checks/unused_exports.ts";

function check(...files: readonly SourceFile[]): string[] {
  return findProblems(files.map(readFacts));
}

function file(path: string, source: string): SourceFile {
  return { path, source };
}

Deno.test("src keeps the rules of its layers", async () => {
  const main = file("main.ts", await Deno.readTextFile("main.ts"));
  assertEquals(check(main, ...await readSources("src")), []);
});

/** Tests of more than one room. */
const CROSS_CUTTING = [
  ...[
    "api",
    "bench",
    "clients",
    "cluster",
    "crash",
    "e2e",
    "faults",
    "flows",
    "fuzz",
    "overload",
    "simulation",
    "soak",
  ],
];

Deno.test("a test lies in the folder of what it tests", async () => {
  const folders = new Set((await readSources("src")).flatMap(({ path }) => foldersOf(path)));
  const strange = (await readSources("tests")).filter(({ path }) => path.endsWith("_test.ts")).filter(
    ({ path }) => {
      const [, room = "", ...rest] = path.split("/");
      const folder = `src/${[room, ...rest].slice(0, -1).join("/")}`;
      return rest.length > 0 && !CROSS_CUTTING.includes(room) && !folders.has(folder);
    },
  );
  assertEquals(strange.map(({ path }) => path), []);
});

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

Deno.test("src exports only what another file uses", async () => {
  const main = file("main.ts", await Deno.readTextFile("main.ts"));
  assertEquals(findUnusedExports(await readSources("src"), [main, ...await readSources("tests")]), []);
});

Deno.test("findUnusedExports() reports an export that only its own file uses", () => {
  const a = file(
    "src/base/a.ts",
    "export const used = 1;\nexport interface Unused {}\nexport type T = Unused;\n",
  );
  const b = file("src/base/b.ts", `import { type T, used as x } from "./a.ts";\n`);
  const c = file("tests/base/c.ts", `export * from "../../src/base/d.ts";\n`);
  const d = file("src/base/d.ts", "export function all() {}\n");
  assertEquals(findUnusedExports([a, b, d], [c]), [
    `src/base/a.ts:2: "Unused" is used in its own file only`,
  ]);
});

const BREACHES: readonly (readonly [string, SourceFile, string])[] = [
  [
    "an import of a higher layer",
    file("src/model/a.ts", `import { x } from "../store/keys.ts";\n`),
    `src/model/a.ts:1: "model" may not import "store" ("../store/keys.ts")`,
  ],
  [
    "an import of types",
    file("src/http/routes/a.ts", `\nimport type { X } from "../../store/store.ts";\n`),
    `src/http/routes/a.ts:2: "http" may not import "store" ("../../store/store.ts")`,
  ],
  [
    "a re-export",
    file("src/engine/a.ts", `export * from "../flow/mod.ts";\n`),
    `src/engine/a.ts:1: "engine" may not import "flow" ("../flow/mod.ts")`,
  ],
  [
    "a dynamic import",
    file("src/base/a.ts", `const x = await import("../model/flow.ts");\n`),
    `src/base/a.ts:1: "base" may not import "model" ("../model/flow.ts")`,
  ],
  [
    "an import of an internal file of a language",
    file("src/languages/yaml/a.ts", `import { x } from "../values/errors.ts";\n`),
    `src/languages/yaml/a.ts:1: "src/languages/values/errors.ts" is internal, import "src/languages/values/mod.ts" ` +
    `("../values/errors.ts")`,
  ],
  [
    "the web framework outside http",
    file("src/services/a.ts", `import { Hono } from "hono/tiny";\n`),
    `src/services/a.ts:1: "services" may not import the package "hono"`,
  ],
  [
    "a test library",
    file("src/services/a.ts", `import { assert } from "@std/assert";\n`),
    `src/services/a.ts:1: "services" may not import the package "@std/assert"`,
  ],
  [
    "the composition root from below",
    file("src/machine/a.ts", `import { startServer } from "../server/server.ts";\n`),
    `src/machine/a.ts:1: "machine" may not import "server" ("../server/server.ts")`,
  ],
  [
    "use cases from below",
    file("src/runtime/live/a.ts", `import type { X } from "../../services/flows/flows.ts";\n`),
    `src/runtime/live/a.ts:1: "runtime" may not import "services" ("../../services/flows/flows.ts")`,
  ],
  [
    "a task type from a use case",
    file("src/services/starts/a.ts", `import { X } from "../../tasks/registry.ts";\n`),
    `src/services/starts/a.ts:1: "services" may not import "tasks" ("../../tasks/registry.ts")`,
  ],
  [
    "a folder that is no room",
    file("src/utils/a.ts", `import "../base/id.ts";\n`),
    `src/utils/a.ts:1: "utils" is not a room of the source tree`,
  ],
  [
    "the platform",
    file("src/store/a.ts", "export const a = () => Deno.pid;\n"),
    `src/store/a.ts:1: "Deno" may not be used here`,
  ],
  [
    "the environment in a folder of parsing",
    file("src/config/a.ts", `export const a = () => \`\${Deno.env.get("A")}\`;\n`),
    `src/config/a.ts:1: "Deno" may not be used here`,
  ],
  [
    "a timer",
    file("src/runtime/a.ts", "setTimeout(() => {}, 1);\n"),
    `src/runtime/a.ts:1: "setTimeout" may not be used here`,
  ],
  [
    "the time",
    file("src/engine/a.ts", "export const a = Date.now();\n"),
    `src/engine/a.ts:1: "Date.now" may not be used here`,
  ],
  [
    "the date",
    file("src/engine/a.ts", "export const a = new Date();\n"),
    `src/engine/a.ts:1: "new Date()" may not be used here`,
  ],
  [
    "chance",
    file("src/engine/a.ts", "export const a = Math.random();\n"),
    `src/engine/a.ts:1: "Math.random" may not be used here`,
  ],
  [
    "a long file",
    file("src/engine/a.ts", "//\n".repeat(601)),
    "src/engine/a.ts:1: the file has 601 lines, at most 600 are allowed",
  ],
  [
    "a long function",
    file("src/engine/a.ts", `function a() {\n${"//\n".repeat(70)}}\n`),
    "src/engine/a.ts:1: a function has 72 lines",
  ],
];
for (const [what, planted, expected] of BREACHES) {
  Deno.test(`findProblems() reports ${what}`, () => assertEquals(check(planted), [expected]));
}

Deno.test("findProblems() reports a circle of imports once", () => {
  const problems = check(
    file("src/base/a.ts", `import "./b.ts";\n`),
    file("src/base/b.ts", `import "./c.ts";\n`),
    file("src/base/c.ts", `import "./a.ts";\n`),
  );
  assertEquals(problems, [
    "src/base/a.ts:1: imports in a circle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts",
  ]);
});

Deno.test("findProblems() reports sibling folders that import each other once", () => {
  const problems = check(
    file("src/services/flows/a.ts", `import "../logs/b.ts";\n`),
    file("src/services/logs/b.ts", ""),
    file("src/services/logs/c.ts", `import "../flows/d.ts";\n`),
    file("src/services/flows/d.ts", ""),
  );
  assertEquals(problems, [
    "src/services/flows/: folders import each other: src/services/flows → src/services/logs → src/services/flows",
  ]);
});

/** One breach for each edge that the table does not have, made from the table itself. */
for (const room of ROOMS) {
  Deno.test(`findProblems() reports every import that "${room}" may not make`, () => {
    for (const target of ROOMS) {
      const planted = file(`src/${room}/a.ts`, `import "../${target}/b.ts";\n`);
      const expected = room === target || mayImport(room, target)
        ? []
        : [`src/${room}/a.ts:1: "${room}" may not import "${target}" ("../${target}/b.ts")`];
      assertEquals(check(planted), expected);
    }
  });
}

Deno.test("no room may import one that may import it", () => {
  const isBelow = (low: string, high: string): boolean =>
    mayImport(high, low) || ROOMS.some((middle) => mayImport(high, middle) && isBelow(low, middle));
  assertEquals(ROOMS.filter((room) => isBelow(room, room)), []);
});

Deno.test("every place with leave to meet the platform, time or chance exists", async () => {
  for (const place of [...PLATFORM_PLACES, ...EFFECT_FILES.keys()]) await Deno.stat(place);
});

Deno.test("findProblems() accepts what only looks like a breach", () => {
  const source = `// Deno.env, setTimeout, import "../store/keys.ts"\n` +
    `export const a = [/["'\`]/, "Deno.pid", \`Date.now()\`, new Date(0)];\n`;
  assertEquals(check(file("src/engine/a.ts", source)), []);
});
