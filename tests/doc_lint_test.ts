import { assertEquals } from "@std/assert";
import { keepDiagnostics } from "./support/checks/doc_lint.ts";

function diagnostic(code: string, line: number): string {
  return `error[${code}]: a message\n  --> /root/src/base/a.ts:${line}:1\n   | \n`;
}

const CASES: readonly (readonly [string, string, string, boolean])[] = [
  ["an export without a comment", "missing-jsdoc", "\nexport const a = 1;", true],
  ["a method without a comment", "missing-jsdoc", "\n  run(): void {", true],
  ["an async method without a comment", "missing-jsdoc", "\n  async run(): Promise<void> {", true],
  ["an inherited method", "missing-jsdoc", "  /** @inheritdoc */\n  run(): void {", false],
  ["a property", "missing-jsdoc", "\n  readonly url: string;", false],
  ["a constructor", "missing-jsdoc", "\n  constructor(a: string) {", false],
  ["the second of two constants", "missing-jsdoc", "export const a = 1;\nexport const b = 1;", false],
  ["a type of a package", "private-type-ref", "\nexport type A = B;", false],
  ["an inferred return type", "missing-return-type", "\nexport const a = () => 1;", false],
];
for (const [what, code, source, isKept] of CASES) {
  Deno.test(`keepDiagnostics() ${isKept ? "keeps" : "drops"} ${what}`, () => {
    const kept = keepDiagnostics(diagnostic(code, 2), [{ path: "src/base/a.ts", source }]);
    assertEquals(kept, isKept ? ["src/base/a.ts:2: a message"] : []);
  });
}
