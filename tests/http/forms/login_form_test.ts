import { assertEquals } from "@std/assert";
import { localPath } from "../../../src/http/forms/login_form.ts";

const PATHS: readonly (readonly [given: string | null, path: string])[] = [
  ["/ui/executions/a/b/C1?x=1", "/ui/executions/a/b/C1?x=1"],
  ["/ui/a/../b", "/ui/b"],
  ["/ui/#part", "/ui/"],
  [null, "/fallback"],
  ["", "/fallback"],
  ["ui/", "/fallback"],
  ["https://evil.example/", "/fallback"],
  ["//evil.example/", "/fallback"],
  ["/\\evil.example/", "/fallback"],
  ["/\t/evil.example/", "/fallback"],
  ["/..//evil.example/", "/fallback"],
  ["/.//evil.example", "/fallback"],
  ["/ui\r\nset-cookie: a=b", "/fallback"],
  ["javascript:alert(1)", "/fallback"],
];

for (const [given, path] of PATHS) {
  Deno.test(`localPath() of ${JSON.stringify(given)} is ${path}`, () => {
    assertEquals(localPath(given, "/fallback"), path);
  });
}
