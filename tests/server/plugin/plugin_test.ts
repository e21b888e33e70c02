/** `sluice plugin`: new, check and test. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { PluginOptions, PluginTemplate, TestOptions } from "../../../src/config/mod.ts";
import { runPlugin } from "../../../src/server/plugin/plugin.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const made = (path: string, template: PluginTemplate = "task"): PluginOptions => ({
  action: "new",
  path,
  template,
});

const tried = (path: string, options: Partial<TestOptions> = {}): PluginOptions => ({
  ...{ action: "test", path, properties: {}, confirms: false, events: 10, seconds: 60 },
  ...options,
});

async function run(options: PluginOptions): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [], err: string[] = [];
  const code = await runPlugin(options, {
    print: (line) => void out.push(line),
    printError: (line) => void err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

for (const extension of ["ts", "js"]) {
  Deno.test(`sluice plugin new writes a .${extension} plugin that check accepts and test runs`, async () => {
    await withTempDir(async (folder) => {
      const path = `${folder}/plugins/count-words.${extension}`;
      assertEquals((await run(made(path))).code, 0);
      const check = await run({ action: "check", path: `${folder}/plugins` });
      assertEquals([check.code, check.out, check.err], [0, "com.example.CountWords is right", ""]);
      const properties = { text: "two words" };
      const test = await run(tried(path, { properties }));
      assertEquals([test.code, test.err], [0, ""]);
      assertEquals(test.out, 'INFO Counted 2 words\nmetric words = 2\n{\n  "words": 2\n}');
    });
  });
}

for (const extension of ["ts", "js"]) {
  Deno.test(`sluice plugin new --trigger writes a .${extension} plugin that check accepts and test polls`, async () => {
    await using list = new ApiStub(() => [{ id: 7 }, { id: 8 }]);
    await withTempDir(async (folder) => {
      const path = `${folder}/new-items.${extension}`;
      assertEquals((await run(made(path, "poll"))).code, 0);
      const check = await run({ action: "check", path });
      assertEquals([check.code, check.out, check.err], [0, "com.example.NewItems is right", ""]);
      const properties = { url: list.url };
      const first = await run(tried(path, { properties, state: { last: 7 } }));
      assertEquals([first.code, first.err], [0, ""]);
      assertEquals(
        first.out,
        "INFO New items: 1\nAn execution would start with\n" +
          '{\n  "items": [\n    {\n      "id": 8\n    }\n  ]\n}\n' +
          `The next poll would read --state '{"last":8}'`,
      );
      const second = await run(tried(path, { properties, state: { last: 8 } }));
      assertEquals(second.out, "INFO New items: 0\nNo execution would start");
    });
  });

  Deno.test(`sluice plugin new --trigger realtime writes a .${extension} plugin that gives events`, async () => {
    await withTempDir(async (folder) => {
      const path = `${folder}/pace.${extension}`;
      assertEquals((await run(made(path, "realtime"))).code, 0);
      assertEquals((await run({ action: "check", path })).out, "com.example.Pace is right");
      const { code, out, err } = await run(
        tried(path, { properties: { seconds: 1 }, events: 2, seconds: 600 }),
      );
      assertEquals([code, err], [0, ""]);
      const event = (count: number) => `An execution would start with\n{\n  "count": ${count}\n}`;
      assertEquals(out, `${event(1)}\n${event(2)}`);
    });
  });
}

/** A trigger with that function. */
function triggerOf(member: string): string {
  return `export default defineTrigger({ type: "com.example.A", description: "A.",
    properties: { url: { type: "string", description: "Address." } }, ${member} });`;
}

Deno.test("sluice plugin test confirms what a poll found only with --confirm", async () => {
  await using queue = new ApiStub(() => ({}));
  await withTempDir(async (folder) => {
    const path = `${folder}/a.js`, properties = { url: queue.url };
    await Deno.writeTextFile(
      path,
      triggerOf(`poll(context) {
        context.whenDurable(async () => {
          await context.http({ url: context.properties.url });
          context.state.set({ confirmed: true });
        });
        return { found: true };
      }`),
    );
    const found = 'An execution would start with\n{\n  "found": true\n}\n';
    assertEquals(
      (await run(tried(path, { properties }))).out,
      `${found}Nothing is confirmed: give --confirm to do it`,
    );
    assertEquals(queue.requests.length, 0);
    assertEquals(
      (await run(tried(path, { properties, confirms: true }))).out,
      `${found}The next poll would read --state '{"confirmed":true}'`,
    );
    assertEquals(queue.requests.length, 1);
  });
});

/** Realtime triggers, the time limit and the exit code of their test, and what it says. */
const REALTIME: readonly (readonly [body: string, seconds: number, code: number, text: RegExp])[] = [
  ["await new Promise(() => {})", 1, 0, /^There were 0 events within 1 s$/],
  ["for (;;);", 1, 0, /^There were 0 events within 1 s$/],
  ['throw new Error("refused")', 600, 1, /^a\.js:2:\d+: refused$/],
  ["", 600, 1, /^The trigger ended by itself: a server would call it again$/],
];

for (const [body, seconds, code, text] of REALTIME) {
  Deno.test(`sluice plugin test ends a realtime trigger at its limit, or says how it ended: ${body}`, async () => {
    await withTempDir(async (folder) => {
      await Deno.writeTextFile(`${folder}/a.js`, triggerOf(`async realtime(context) { ${body} }`));
      const { code: ended, out, err } = await run(tried(`${folder}/a.js`, { seconds }));
      assertMatch(out + err, text);
      assertEquals(ended, code);
    });
  });
}

Deno.test("sluice plugin check reports a name that another file or a built-in type has", async () => {
  await withTempDir(async (folder) => {
    const named = (names: string) => triggerOf("poll() {}").replace('type: "com.example.A"', names);
    await Deno.writeTextFile(`${folder}/a.js`, named('type: "com.example.A", aliases: ["com.example.B"]'));
    await Deno.writeTextFile(`${folder}/b.js`, named('type: "com.example.B"'));
    await Deno.writeTextFile(`${folder}/c.js`, named('type: "aws.sqs.Trigger"'));
    await Deno.writeTextFile(
      `${folder}/d.js`,
      named('type: "com.example.A"').replace("Trigger(", "Task(").replace("poll", "run"),
    );
    const { code, out, err } = await run({ action: "check", path: folder });
    assertEquals([code, out], [1, "com.example.A is right"]);
    assertEquals(err.split("\n"), [
      'b.js: the name "com.example.B" is taken by the type of a.js',
      'c.js: the name "aws.sqs.Trigger" is taken by a built-in type',
      'd.js: the name "com.example.A" is taken by the type of a.js',
    ]);
    assertEquals(
      (await run({ action: "check", path: `${folder}/c.js` })).err,
      'c.js: the name "aws.sqs.Trigger" is taken by a built-in type',
    );
  });
});

Deno.test("sluice plugin new keeps a file that exists, and needs a name of a .ts or .js file", async () => {
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.ts`, "mine");
    const second = await run(made(`${folder}/a.ts`));
    assertEquals([second.code, second.err], [1, `Cannot write "${folder}/a.ts": the file exists`]);
    assertEquals(await Deno.readTextFile(`${folder}/a.ts`), "mine");
  });
  assertMatch(
    (await run(made("weather"))).err,
    /^Cannot write "weather": give a file name/,
  );
});

Deno.test("sluice plugin test reports unknown, missing and wrong properties, and what run throws", async () => {
  await withTempDir(async (folder) => {
    const path = `${folder}/a.js`;
    await Deno.writeTextFile(
      path,
      `export default defineTask({ type: "com.example.A", description: "A.", properties: {
        count: { type: "integer", description: "N.", required: true } },
        run({ properties }) { throw new Error("got " + typeof properties.count) } });`,
    );
    const tries: JsonObject[] = [{ counts: 1 }, {}, { count: "x" }, { count: "5" }];
    const errors = tries.map(async (properties) => (await run(tried(path, { properties }))).err);
    assertEquals(await Promise.all(errors), [
      'Unknown property "counts": there are count',
      "Missing count: it is empty",
      "Invalid count: it must be a whole number",
      "a.js:3:37: got number",
    ]);
  });
});
