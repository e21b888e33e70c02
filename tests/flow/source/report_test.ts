/** Reports bound the work for their hints, whatever the source. */
import { assertEquals, assertGreater, assertLess, assertLessOrEqual } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { catalog, catalogs } from "../flow_support.ts";

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at));

const messagesOf = (source: string) =>
  validateFlow(parseFlowSource(`id: f\nnamespace: n\n${source}`), catalogs, { expressions: {} })
    .map(({ message }) => message);

const HINT = ", did you mean ";

const TASK = "tasks:\n- {id: t, type: core.log.Log, message: m";

/** Names of one kind: a source with known ones, and 100 that are misspelt. */
const SOURCES:
  readonly (readonly [string, (known: readonly string[], misspelt: readonly string[]) => string])[] = [
    [
      "variables",
      (known, misspelt) =>
        `variables:\n${known.map((name) => `  ${name}: 1\n`).join("")}${TASK}, level: '${
          misspelt.map((name) => `{{vars.${name}}}`).join("")
        }'}\n`,
    ],
    [
      "inputs",
      (known, misspelt) =>
        `inputs:\n${
          known.map((name) => `- {id: ${name}, type: INT}\n`).join("")
        }- {id: z, type: INT, dependsOn: {inputs: [${misspelt}]}}\n${TASK}}\n`,
    ],
    [
      "tasks of a Dag",
      (known, misspelt) =>
        `tasks:\n- id: dag\n  type: core.flow.Dag\n  tasks:\n${
          known.map((name) => `  - {task: {id: ${name}, type: core.debug.Return}}\n`).join("")
        }  - {task: {id: z, type: core.debug.Return}, dependsOn: [${misspelt}]}\n`,
    ],
  ];

for (const [what, sourceOf] of SOURCES) {
  Deno.test(`each of 100 misspelt names of ${what} has a hint`, () => {
    const messages = messagesOf(
      sourceOf(lines(50, (at) => `name${at}`), lines(100, (at) => `nameX${at + 10}`)),
    );
    assertEquals(messages.filter((message) => message.includes(HINT)).length, 100);
  });

  Deno.test(`misspelt names of ${what} have no more hints once their comparisons took too much work`, () => {
    const long = "a".repeat(190);
    const messages = messagesOf(
      sourceOf(lines(50, (at) => `${long}${at + 100}`), lines(100, (at) => `${long}X${at + 10}`)),
    );
    assertEquals(messages.length, 100);
    const hints = messages.filter((message) => message.includes(HINT)).length;
    assertGreater(hints, 0);
    assertLess(hints, 10);
  });
}

Deno.test("the types like an unknown one are looked up only while there are hints", () => {
  let lists = 0;
  const list = () => {
    lists++;
    return catalog.list();
  };
  const source = `id: f\nnamespace: n\ntasks:\n${
    lines(150, (at) => `- {id: t${at}, type: core.log.Lo${at}}\n`).join("")
  }`;
  const tasks = { ...catalog, list };
  const problems = validateFlow(parseFlowSource(source), { ...catalogs, tasks });
  assertEquals([problems.length, problems.filter(({ message }) => message.includes(HINT)).length], [
    150,
    100,
  ]);
  assertEquals(lists, 100);
});

Deno.test("unknown references have no more hints of brackets once they took too much work", () => {
  // Looking at a name counts 10 of 5,000,000: 20,000 names may be looked at 25 times.
  const known = lines(20_000, (at) => `  v${at}-x: 1\n`).join("");
  const messages = messagesOf(
    `variables:\n${known}${TASK}, level: '${lines(60, (at) => `{{vars.v${at}}}`).join("")}'}\n`,
  );
  assertEquals(messages.length, 60);
  const hints = messages.filter((message) => message.includes(HINT)).length;
  assertGreater(hints, 5);
  assertLessOrEqual(hints, 25);
});

Deno.test("the known names are looked up only while there are hints of brackets", () => {
  const { filter } = Array.prototype;
  let filtered = 0;
  Array.prototype.filter = function (this: unknown[], ...given: Parameters<typeof filter>) {
    if (this[0] === "v0-x") filtered += this.length;
    return filter.apply(this, given);
  } as typeof filter;
  try {
    const known = lines(5_000, (at) => `  v${at}-x: 1\n`).join("");
    messagesOf(
      `variables:\n${known}${TASK}, level: '${lines(1_000, (at) => `{{vars.z${at}}}`).join("")}'}\n`,
    );
  } finally {
    Array.prototype.filter = filter;
  }
  assertGreater(filtered, 0);
  assertLessOrEqual(filtered, 500_000);
});

const LONG = "x".repeat(100_000);

/** Sources whose problems could each repeat a long name or id. */
const REPEATED: readonly (readonly [string, string])[] = [
  [
    "the id of a WorkingDirectory",
    `tasks:\n- id: ${LONG}\n  type: core.flow.WorkingDirectory\n  tasks:\n${
      lines(50, (at) => `  - {id: t${at}, type: core.flow.Subflow}\n`).join("")
    }`,
  ],
  [
    "the id of a Dag",
    `tasks:\n- id: ${LONG}\n  type: core.flow.Dag\n  tasks:\n  - {task: {id: t}, dependsOn: [${
      lines(50, (at) => `a${at}`)
    }]}\n`,
  ],
  [
    "the name of a case",
    `${TASK}}\n- {id: s, type: core.flow.Switch, cases: {? ${LONG} : [${lines(50, () => "{}")}]}}\n`,
  ],
  ["duplicate ids", `tasks:\n${`- {id: ${LONG}}\n`.repeat(2)}${"- {id: t}\n".repeat(50)}`],
  [
    "a deep path",
    `tasks: ${`[{id: s, type: core.flow.Switch, cases: {${"k".repeat(250)}: `.repeat(20)}[${
      lines(50, () => "{}")
    }]${"}}]".repeat(20)}\n`,
  ],
];

for (const [what, source] of REPEATED) {
  Deno.test(`the problems of a source do not repeat ${what} in full`, () => {
    const problems = validateFlow(parseFlowSource(`id: f\nnamespace: n\n${source}`), catalogs);
    assertGreater(problems.length, 50);
    for (const { message, path, shownPath = "" } of problems) {
      assertLessOrEqual(message.length, 1_001);
      assertLessOrEqual(Math.max(path.length, shownPath.length), 2_001);
    }
  });
}

Deno.test("a path shows ids and names of up to 256 characters, and the position for a longer id", () => {
  const pathsOf = (id: string) =>
    validateFlow(
      parseFlowSource(
        `id: f\nnamespace: n\ntasks:\n- {id: ${id}, type: core.log.Log, message: m, ${id}: 1}\n`,
      ),
      catalogs,
    ).filter(({ code }) => code === "unknown_property").map(({ shownPath }) => shownPath);
  const longest = "x".repeat(256);
  assertEquals(pathsOf(longest), [`tasks[${longest}].${longest}`]);
  assertEquals(pathsOf(`x${longest}`), [`tasks[0]["${"x".repeat(100)}"]`]);
});

Deno.test("a message of duplicate ids names the first ten", () => {
  const messages = messagesOf(
    `tasks:\n${lines(24, (at) => `- {id: t${at % 12}, type: core.debug.Return}\n`).join("")}`,
  );
  assertEquals(
    messages,
    lines(12, () => `Duplicate task id with name [${lines(10, (at) => `t${at}`).join(", ")}]`),
  );
});
