import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import {
  isStorageUri,
  namespaceFileUri,
  parseStorageUri,
} from "../../../src/model/namespaces/storage_uri.ts";

const ID = "A1b2C3d4E5f6G7h8I9j0K1";

/** URIs and their parts: namespace and path of a namespace file; for a file of an execution also flow and execution. */
const ADDRESSES: readonly [string, readonly string[]][] = [
  ["kestra:///demo/_files/a.txt", ["demo", "a.txt"]],
  ["kestra:///my/name.space/_files/dir/a%20b.txt", ["my.name.space", "dir/a b.txt"]],
  ["kestra:///demo/_files/_files/a", ["demo", "_files/a"]],
  [`kestra:///demo/_files/f/executions/${ID}/a`, ["demo", `f/executions/${ID}/a`]],
  [`kestra:///demo/_files/executions/${ID}/a`, ["demo", `executions/${ID}/a`]],
  [`kestra:///demo/hello/executions/${ID}/inputs/file/a.txt`, ["demo", "hello", ID, "inputs/file/a.txt"]],
  [`kestra:///io/kestra/tests/f-1/executions/${ID}/a%20b`, ["io.kestra.tests", "f-1", ID, "a b"]],
  [`kestra:///executions/executions/executions/${ID}/a`, ["executions", "executions", ID, "a"]],
  [`kestra:///demo/hello/executions/${ID}/tasks/_files/a`, ["demo", "hello", ID, "tasks/_files/a"]],
];

for (const [uri, expected] of ADDRESSES) {
  Deno.test(`parseStorageUri() ${uri}`, () => {
    const place = parseStorageUri(uri);
    const found = place.kind === "namespace file"
      ? [place.namespace, place.path]
      : [place.namespace, place.flowId, place.executionId, place.path];
    assertEquals(found, expected);
  });
}

const REFUSED = [
  "",
  "file:///etc/passwd",
  "kestra://",
  "kestra:///",
  "kestra://host/demo/_files/a",
  "kestra:///demo/a.txt",
  "kestra:///_files/a",
  "kestra:///demo/_files/",
  "kestra:///demo/_files/../a",
  "kestra:///demo/_files/%2e%2e/a",
  "kestra:///demo/_files/%252e%252e/a",
  "kestra:///demo/_files/a%",
  "kestra:///Demo/_files/a",
  "kestra:///../_files/a",
  `kestra:///demo/hello/executions/${ID}/`,
  `kestra:///demo/hello/executions/${ID}/../x`,
  `kestra:///demo/hello/executions/${ID}/a/%2e%2e/x`,
  `kestra:///executions/${ID}/a`,
  `kestra:///demo/hello/executions/short/a`,
];

for (const uri of REFUSED) {
  Deno.test(`parseStorageUri() refuses ${JSON.stringify(uri)}`, () => {
    assertEquals(assertThrows(() => parseStorageUri(uri), DomainError).code, "invalid_argument");
  });
}

/** Namespace, path, and the URI or the error message. */
const FILES: readonly [string, string, string | RegExp][] = [
  ["my.namespace", "test", "kestra:///my/namespace/_files/test"],
  ["demo", "/dir/a b#?.txt", "kestra:///demo/_files/dir/a%20b%23%3F.txt"],
  ["demo", "../a", /contains "\.\."/],
  ["demo", "a/../../b", /contains "\.\."/],
  ["demo", "", /names no file/],
  ["Demo", "a", /namespace "Demo" must match/],
];

for (const [namespace, path, expected] of FILES) {
  Deno.test(`namespaceFileUri() of ${JSON.stringify(path)} in ${namespace}`, () => {
    if (typeof expected === "string") {
      const uri = namespaceFileUri(namespace, path);
      assertEquals(uri, expected);
      assertEquals(isStorageUri(uri), true);
      assertEquals(parseStorageUri(uri), {
        kind: "namespace file",
        namespace,
        path: path.replace(/^\//, ""),
      });
    } else {assertEquals(
        expected.test(assertThrows(() => namespaceFileUri(namespace, path), DomainError).message),
        true,
      );}
  });
}
