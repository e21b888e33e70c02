import { assertEquals } from "../../support/assert.ts";
import { parseMetrics, sumOf } from "../../../src/ui/app/views/admin/metrics_text.ts";
import { folderOf, nameOf, normalPath, pathBelow } from "../../../src/ui/app/views/namespaces/files.ts";
import { isKvText, kvBody, kvText, type KvType } from "../../../src/ui/app/views/namespaces/kv_value.ts";
import {
  type NamespaceNode,
  namespaceTree,
  parentsOf,
} from "../../../src/ui/app/views/namespaces/namespace_tree.ts";
import { backfillProgress, keyText, parseKey } from "../../../src/ui/app/views/triggers/trigger.ts";

Deno.test("namespaceTree() orders namespaces below their parents, and adds missing parents", () => {
  const tree = namespaceTree([{ id: "b" }, { id: "a.b.c", description: "d" }, { id: "a.a" }]);
  const shape = (nodes: readonly NamespaceNode[]): unknown =>
    nodes.map((each) => [each.name, shape(each.children)]);
  assertEquals(shape(tree), [["a", [["a", []], ["b", [["c", []]]]]], ["b", []]]);
  assertEquals(tree[0]?.children[1]?.children[0]?.description, "d");
  assertEquals(parentsOf("a.b.c"), ["a", "a.b"]);
});

const KV_CASES: readonly (readonly [type: KvType, text: string, isValid: boolean])[] = [
  ["STRING", "", true],
  ["NUMBER", "-1.5e3", true],
  ["NUMBER", "1,5", false],
  ["BOOLEAN", "true", true],
  ["BOOLEAN", "yes", false],
  ["DATE", "2026-01-31", true],
  ["DATE", "31.01.2026", false],
  ["DATETIME", "2026-01-31T08:15:30Z", true],
  ["DURATION", "PT1M", true],
  ["DURATION", "1m", false],
  ["JSON", "[1]", true],
  ["JSON", "1", false],
  ["JSON", "{", false],
];

for (const [type, text, isValid] of KV_CASES) {
  Deno.test(`isKvText() ${isValid ? "accepts" : "refuses"} ${JSON.stringify(text)} as ${type}`, () => {
    assertEquals(isKvText(type, text), isValid);
  });
}

Deno.test("kvBody() sends texts as JSON, and dates as plain text", () => {
  assertEquals(kvBody("STRING", "42"), { body: '"42"', contentType: "application/json" });
  assertEquals(kvBody("DATE", " 2026-01-31 "), { body: "2026-01-31", contentType: "text/plain" });
  assertEquals(kvText({ type: "JSON", value: [1] }), "[\n  1\n]");
  assertEquals(kvText({ type: "STRING", value: "a" }), "a");
});

Deno.test("paths of files: folders end with a slash", () => {
  assertEquals(["", "/a.py", "/x/a.py", "/x/"].map(folderOf), ["/", "/", "/x/", "/x/"]);
  assertEquals(["/x/a.py", "/x/", "/"].map(nameOf), ["a.py", "x", ""]);
  assertEquals(["x//a.py/", "/", ""].map(normalPath), ["/x/a.py", "/", "/"]);
  assertEquals(pathBelow("/x/", { fileName: "y", type: "Directory" }), "/x/y/");
});

Deno.test("parseMetrics() reads names, labels and values", () => {
  const metrics = parseMetrics('# HELP a text\na 1\nb{x="1",y="q\\"\\n"} 2.5e3\nb{x="2"} 1\nbroken\n');
  assertEquals(metrics, [
    { name: "a", labels: {}, value: 1 },
    { name: "b", labels: { x: "1", y: 'q"\n' }, value: 2500 },
    { name: "b", labels: { x: "2" }, value: 1 },
  ]);
  assertEquals([sumOf(metrics, "b"), sumOf(metrics, "c")], [2501, undefined]);
});

Deno.test("backfillProgress() is the part of the range before the next date", () => {
  const [start, end] = ["2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"];
  const at = (currentDate: string) => backfillProgress({ start, end, currentDate, paused: false });
  const dates = [start, "2026-01-02T00:00:00Z", "2026-02-01T00:00:00Z"];
  assertEquals(dates.map(at), [0, 0.25, 1]);
});

Deno.test("parseKey() reads keyText()", () => {
  const key = { namespace: "a.b", flowId: "f", triggerId: "t" };
  assertEquals(parseKey(keyText(key)), key);
  assertEquals(parseKey("a/b"), undefined);
});
