import { assert, assertEquals } from "@std/assert";
import { ConfigProblem } from "../../src/config/given.ts";
import { parsePlugin, type PluginOptions } from "../../src/config/plugin.ts";

const CASES: readonly (readonly [args: string[], options: PluginOptions])[] = [
  [["new", "a.ts"], { action: "new", path: "a.ts" }],
  [["check", "plugins"], { action: "check", path: "plugins" }],
  [["test", "a.js"], { action: "test", path: "a.js", properties: {} }],
  [["test", "a.js", "--properties", '{"n": 1}'], { action: "test", path: "a.js", properties: { n: 1 } }],
];

for (const [args, options] of CASES) {
  Deno.test(`parsePlugin() reads "${args.join(" ")}"`, () => assertEquals(parsePlugin(args), options));
}

const REFUSED: readonly (readonly [args: string[], message: string])[] = [
  [[], "Cannot run plugin: give new, check or test; see plugin --help"],
  [["make", "a.ts"], "Cannot run plugin: give new, check or test; see plugin --help"],
  [["check"], "Cannot run plugin check without a path; see plugin --help"],
  [["check", "a", "--properties", "{}"], "Cannot use --properties with plugin check; see plugin --help"],
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
