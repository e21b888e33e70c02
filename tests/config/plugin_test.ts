import { assert, assertEquals } from "@std/assert";
import { ConfigProblem } from "../../src/config/given.ts";
import { parsePlugin, type PluginOptions } from "../../src/config/plugin.ts";

const TEST: PluginOptions = {
  ...{ action: "test", path: "a.js", properties: {}, state: undefined },
  ...{ confirms: false, events: 10, seconds: 30 },
};

const CASES: readonly (readonly [args: string[], options: PluginOptions])[] = [
  [["new", "a.ts"], { action: "new", path: "a.ts", template: "task" }],
  [["new", "--trigger", "a.ts"], { action: "new", path: "a.ts", template: "poll" }],
  [["new", "a.ts", "--trigger"], { action: "new", path: "a.ts", template: "poll" }],
  [["new", "--trigger", "poll", "a.ts"], { action: "new", path: "a.ts", template: "poll" }],
  [["new", "a.ts", "--trigger", "realtime"], { action: "new", path: "a.ts", template: "realtime" }],
  [["new", "--trigger=realtime", "a.ts"], { action: "new", path: "a.ts", template: "realtime" }],
  [["check", "plugins"], { action: "check", path: "plugins" }],
  [["test", "a.js"], TEST],
  [["test", "a.js", "--properties", '{"n": 1}'], { ...TEST, properties: { n: 1 } }],
  [["test", "a.js", "--state", '{"n": 1}', "--confirm"], { ...TEST, state: { n: 1 }, confirms: true }],
  [["test", "a.js", "--events", "3", "--seconds=5"], { ...TEST, events: 3, seconds: 5 }],
];

for (const [args, options] of CASES) {
  Deno.test(`parsePlugin() reads "${args.join(" ")}"`, () => assertEquals(parsePlugin(args), options));
}

const REFUSED: readonly (readonly [args: string[], message: string])[] = [
  [[], "Cannot run plugin: give new, check or test; see plugin --help"],
  [["make", "a.ts"], "Cannot run plugin: give new, check or test; see plugin --help"],
  [["check"], "Cannot run plugin check without a path; see plugin --help"],
  [["check", "a", "--properties", "{}"], "Cannot use --properties with plugin check; see plugin --help"],
  [["check", "a", "--confirm"], "Cannot use --confirm with plugin check; see plugin --help"],
  [["test", "a", "--trigger"], "Cannot use --trigger with plugin test; see plugin --help"],
  [["new", "a.ts", "--trigger=push"], "Cannot use --trigger: it must be poll or realtime; see plugin --help"],
  [["test", "a", "--state", "1"], "Cannot use --state: it must be a JSON object; see plugin --help"],
  [
    ["test", "a", "--events", "0"],
    "Cannot use --events: it must be a whole number above 0; see plugin --help",
  ],
  [
    ["test", "a", "--seconds", "1.5"],
    "Cannot use --seconds: it must be a whole number above 0; see plugin --help",
  ],
  [
    ["test", "a", "--properties", "[]"],
    "Cannot use --properties: it must be a JSON object; see plugin --help",
  ],
];

for (const [args, message] of REFUSED) {
  Deno.test(`parsePlugin() refuses "${args.join(" ")}"`, () => {
    const problem = parsePlugin(args);
    assert(problem instanceof ConfigProblem);
    assertEquals(problem.message, message);
  });
}
