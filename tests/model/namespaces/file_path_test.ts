import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import {
  fileNameOf,
  isWithin,
  normalizeFileName,
  normalizeFilePath,
  parentPath,
  parentPaths,
} from "../../../src/model/namespaces/file_path.ts";

const CANONICAL: readonly (readonly [string, string])[] = [
  ["", ""],
  ["/", ""],
  ["a.txt", "a.txt"],
  ["/a.txt", "a.txt"],
  ["/a/b/c.py", "a/b/c.py"],
  ["a//b/", "a/b"],
  ["./a/./b", "a/b"],
  [".gitignore", ".gitignore"],
  ["a..b/c...d", "a..b/c...d"],
  ["100% sure.txt", "100% sure.txt"],
  ["with space/ü.txt", "with space/ü.txt"],
  ["u\u0308.txt", "ü.txt"],
  ["日本/語", "日本/語"],
  ["__proto__/constructor", "__proto__/constructor"],
];

for (const [text, path] of CANONICAL) {
  Deno.test(`normalizeFilePath() of ${JSON.stringify(text)}`, () =>
    assertEquals(normalizeFilePath(text), path));
}

const REFUSED: readonly (readonly [string, string])[] = [
  ["..", ".."],
  ["../x", ".."],
  ["a/../b", ".."],
  ["a/..", ".."],
  ["/..", ".."],
  ["a/.. /b", ".."],
  ["a/.../b", ".."],
  ["..\\x", "backslash"],
  ["a\\..\\b", "backslash"],
  ["\\\\server\\share", "backslash"],
  ["%2e%2e/x", "encoded twice"],
  ["a/%2E%2e/x", "encoded twice"],
  ["a%2fb", "encoded twice"],
  ["a%5Cb", "encoded twice"],
  ["%252e%252e/x", "encoded twice"],
  ["a%00b", "encoded twice"],
  ["a\0b", "control character"],
  ["a\nb", "control character"],
  ["a\u007fb", "control character"],
  ["a\u0085b", "control character"],
  ["C:\\x", "backslash"],
  ["C:/x", "drive"],
  ["/c:/x", "drive"],
  ["c:x", "drive"],
  ["http://host/x", "URL"],
  ["file:///etc/passwd", "URL"],
  ["/file://etc/passwd", "URL"],
  ["\u2025/x", ".."],
  ["\uff0e\uff0e/x", ".."],
  ["\u2024\u2024/x", ".."],
  ["a\uff0fb", "not allowed"],
  ["a\uff3cb", "not allowed"],
  ["a\u202etxt.exe", "not allowed"],
  ["a\ufffdb", "not allowed"],
  ["a\ud800b", "not allowed"],
  ["x".repeat(256), "255"],
  [`${"x".repeat(200)}/`.repeat(5) + "x", "1000"],
  ["x".repeat(100_000), "1000"],
  ["a/".repeat(33) + "x", "deeper"],
  [`${"ü".repeat(200)}/`.repeat(3), "ASCII"],
];

for (const [text, reason] of REFUSED) {
  Deno.test(`normalizeFilePath() refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const error = assertThrows(() => normalizeFilePath(text), DomainError, reason);
    assertEquals(error.code, "invalid_argument");
    assertEquals(error.message.startsWith("Illegal argument: path "), true, error.message);
  });
}

Deno.test("normalizeFileName() refuses the root", () => {
  assertThrows(() => normalizeFileName("/"), DomainError, "names no file");
});

Deno.test("parentPath(), parentPaths(), fileNameOf() and isWithin() of paths", () => {
  assertEquals(parentPaths("a/b/c"), ["a", "a/b"]);
  assertEquals(parentPaths("a"), []);
  assertEquals([parentPath("a/b/c"), parentPath("a")], ["a/b", ""]);
  assertEquals(fileNameOf("a/b/c"), "c");
  assertEquals([isWithin("a/b", "a"), isWithin("ab", "a"), isWithin("a", "a"), isWithin("a", "")], [
    true,
    false,
    true,
    true,
  ]);
});
