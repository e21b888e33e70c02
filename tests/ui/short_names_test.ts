import { assertEquals } from "@std/assert";
import { filesBelow } from "../../src/ui/build.ts";
import { withShortNames } from "../../src/ui/short_names.ts";

const OPTIONS = {
  isTexts: (file: string) => /^(?:en|de)-/.test(file),
  hash: (text: string) => `H${text.slice(0, 7)}`,
};

Deno.test("withShortNames() gives each text the same short name in all scripts, and the files other names", () => {
  const scripts = withShortNames(
    new Map([
      ["main.js", 'import"./view-AAAAAAAA.js";t("a.title");const x="other.name",y="a.title.b"'],
      ["view-AAAAAAAA.js", 'import"./main.js";const tabs=[["o","b.some.name"]];t("a.title",{x:1})'],
      ["en-BBBBBBBB.js", 'var E={"a.title":"Say \\"a.title\\", \'b\'","b.some.name":"N"};'],
      ["de-CCCCCCCC.js", 'var D={"a.title":"T","b.some.name":"M"};'],
    ]),
    OPTIONS,
  );
  assertEquals([...scripts], [
    ["main.js", 'import"./view-HAAAAAAA.js";t("a");const x="other.name",y="a.title.b"'],
    ["view-HAAAAAAA.js", 'import"./main.js";const tabs=[["o","b"]];t("a",{x:1})'],
    ["en-HBBBBBBB.js", 'var E={a:"Say \\"a.title\\", \'b\'",b:"N"};'],
    ["de-HCCCCCCC.js", 'var D={a:"T",b:"M"};'],
  ]);
});

Deno.test("withShortNames() keeps names that are put together, and those of the same beginning", () => {
  const scripts = withShortNames(
    new Map([
      ["main.js", 't(`tab.${name}`);t(`flow.action.${x}`);t("flow.name");t("tab.all")'],
      ["en-BBBBBBBB.js", 'var E={"tab.all":"A","tab.one":"1","flow.action.kill":"K","flow.name":"N"};'],
    ]),
    OPTIONS,
  );
  assertEquals(scripts.get("main.js"), 't(`tab.${name}`);t(`flow.action.${x}`);t("a");t("tab.all")');
  assertEquals(
    scripts.get("en-HBBBBBBB.js"),
    'var E={"tab.all":"A","tab.one":"1","flow.action.kill":"K",a:"N"};',
  );
});

Deno.test("withShortNames() gives many texts different names", () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `n.t${index}`);
  const scripts = withShortNames(
    new Map([["en-BBBBBBBB.js", `var E={${names.map((name) => `"${name}":1`).join(",")}};`]]),
    OPTIONS,
  );
  const members = [...scripts.values()].join("").matchAll(/(\w+):1/g);
  assertEquals(new Set([...members].map(([, name]) => name)).size, 3_000);
});

Deno.test("names of texts that scripts put together begin with a literal group", async () => {
  const paths = (await filesBelow(new URL("../../src/ui/app", import.meta.url).pathname))
    .filter((path) => /\.tsx?$/.test(path));
  const sources = await Promise.all(paths.map((path) => Deno.readTextFile(path)));
  const calls = sources.flatMap((source) =>
    [...source.matchAll(/\bt\(\s*`([^`]*)/g)].map(([, name = ""]) => name)
  );
  assertEquals(calls.length > 10, true);
  assertEquals(calls.filter((name) => !/^[a-z]+\.(?:[a-z]+\.)?\$\{[^}]*\}$/i.test(name)), []);
});
