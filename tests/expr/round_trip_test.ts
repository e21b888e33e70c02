/** Trees → source → trees: the parser reads what the table of operators says, and evaluation fails only as it may. */
import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { parseTemplate } from "../../src/expr/syntax/template_parser.ts";
import { compileTemplate, ExpressionError, renderText } from "../../src/expr/mod.ts";
import { bare, printExpression, printStatements, printTemplate } from "./printer.ts";
import { kinded, scopeOf } from "./support.ts";
import { expressions, statements } from "./trees.ts";

const RUNS = 3000;
const LIMITS = { maxSteps: 5000, maxOutputLength: 20_000, maxRangeLength: 1000, maxRegexMoves: 50_000 };

Deno.test("parseTemplate() reads an expression as it was printed", () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      const source = `{{ ${printExpression(expression)} }}`;
      const [statement] = parseTemplate(source).body;
      assert(statement?.kind === "print");
      assertEquals(bare(statement.value), bare(expression), source);
    }),
    { numRuns: RUNS, verbose: 1 },
  );
});

Deno.test("parseTemplate() reads tags as they were printed", () => {
  fc.assert(
    fc.property(statements, (body) => {
      const source = printStatements(body);
      assertEquals(bare(parseTemplate(source).body), bare(body), source);
    }),
    { numRuns: RUNS, verbose: 1 },
  );
});

Deno.test("parseTemplate() reads macros as they were printed", () => {
  const parameter = fc.record({
    name: fc.constantFrom("p", "q"),
    fallback: fc.option(expressions, { nil: undefined }),
  });
  const macro = fc.record({
    name: fc.constantFrom("f", "g"),
    parameters: fc.array(parameter, { maxLength: 2 }),
    body: statements,
  });
  fc.assert(
    fc.property(macro, statements, (one, body) => {
      const source = printTemplate({ macros: new Map([[one.name, one]]), body });
      const { macros, body: read } = parseTemplate(source);
      assertEquals([bare(macros), bare(read)], [[[one.name, bare(one)]], bare(body)], source);
    }),
    { numRuns: RUNS / 4, verbose: 1 },
  );
});

/** What a flow may hold: any JSON, prototypes' names among its keys. */
const contexts = fc.dictionary(
  fc.constantFrom("a", "b", "l", "m", "s", "n", "x1", "constructor", "__proto__"),
  fc.jsonValue({ maxDepth: 3 }),
).map((data): JsonObject => kinded(data));

Deno.test("renderText() throws only ExpressionError and prints within its limits for any source", () => {
  fc.assert(
    fc.property(statements, contexts, (body, variables) => {
      const source = printStatements(body);
      try {
        const text = renderText(compileTemplate(source), scopeOf(variables, { limits: LIMITS }));
        assert(text.length <= 2 * LIMITS.maxOutputLength, source);
      } catch (error) {
        assert(
          error instanceof ExpressionError,
          `${source}\n${error instanceof Error ? error.stack : error}`,
        );
        assert(error.line >= 1 && error.offset >= 0, source);
      }
    }),
    { numRuns: RUNS, verbose: 1 },
  );
});

Deno.test("renderText() does not change its variables", () => {
  fc.assert(
    fc.property(statements, contexts, (body, variables) => {
      const before = bare(variables);
      try {
        renderText(compileTemplate(printStatements(body)), scopeOf(variables, { limits: LIMITS }));
      } catch (error) {
        assert(error instanceof ExpressionError);
      }
      assertEquals(bare(variables), before);
    }),
    { numRuns: RUNS / 4, verbose: 1 },
  );
});
