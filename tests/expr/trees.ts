/** Random trees of the expression language, as fast-check makes them. */
import fc from "fast-check";
import { Double } from "../../src/base/json.ts";
import type { CallArguments, Expression, FilterCall, Statement } from "../../src/expr/syntax/ast.ts";

/** Names of variables, members and arguments; two of them are those of prototypes. */
const name = fc.constantFrom("a", "b", "l", "m", "s", "n", "x1", "_y", "é", "constructor", "__proto__");
const text = fc.stringMatching(/^[ab'"{}#%é\n .|-]{0,6}$/);
const OPERATORS = "or and contains isIn == != < > <= >= + - * / % ~ .. ?? ???".split(" ");
const FILTERS = "upper trim length default join first sort replace date toJson split slice number".split(" ");
const FUNCTIONS = "max range fromJson render now yaml nope".split(" ");

const literal = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.nat(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.nat(100_000).map((hundredths) => new Double(hundredths / 100)),
  text,
).map((value) => ({ kind: "literal", value }));

/** A tree without places, which the parser alone knows. */
function tree<T>(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<T> {
  return arbitrary as fc.Arbitrary<T>;
}

/** Random expressions. */
export const expressions: fc.Arbitrary<Expression> = fc.letrec((tie) => {
  const node = tie("expression");
  const named = fc.uniqueArray(fc.tuple(name, node), { selector: ([key]) => key, maxLength: 2 });
  const args = tree<CallArguments>(fc.record({
    positional: fc.array(node, { maxLength: 2 }),
    named: named.map((entries) => new Map(entries)),
  }));
  const positional = fc.record({
    positional: fc.array(node, { maxLength: 2 }),
    named: fc.constant(new Map()),
  });
  const filter = tree<FilterCall>(fc.record({ name: fc.constantFrom(...FILTERS), args }));
  const part = (kind: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ kind: fc.constant(kind), ...fields });
  return {
    filter,
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      literal,
      part("variable", { name }),
      part("member", { object: node, name }),
      part("index", { object: node, key: node }),
      part("method", { object: node, name, args: positional }),
      part("call", { name: fc.constantFrom(...FUNCTIONS), args }),
      part("list", { items: fc.array(node, { maxLength: 3 }) }),
      part("map", { entries: fc.array(fc.tuple(node, node), { maxLength: 2 }) }),
      part("unary", { operator: fc.constantFrom("not", "-", "+"), operand: node }),
      part("binary", { operator: fc.constantFrom(...OPERATORS), left: node, right: node }),
      part("ternary", { test: node, yes: node, no: node }),
      part("filter", { input: node, filter }),
      part("test", {
        input: node,
        name: fc.constantFrom("defined", "null", "empty", "map"),
        isNegated: fc.boolean(),
      }),
      fc.tuple(fc.constantFrom("", "q"), node, fc.constantFrom("", "z"))
        .map(([before, value, after]) => ({
          kind: "interpolation",
          parts: [{ kind: "literal", value: before }, value, { kind: "literal", value: after }],
        })),
    ),
  };
}).expression as fc.Arbitrary<Expression>;

const filterCall = tree<FilterCall>(fc.record({
  name: fc.constantFrom(...FILTERS),
  args: fc.record({ positional: fc.array(expressions, { maxLength: 1 }), named: fc.constant(new Map()) }),
}));

/** Random bodies: texts do not touch each other, as a parser would join them. */
export const statements: fc.Arbitrary<readonly Statement[]> = fc.letrec((tie) => {
  const body = tie("body");
  const part = (kind: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ kind: fc.constant(kind), ...fields });
  const statement = fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    part("text", { text: fc.stringMatching(/^[a-z {}\n]{1,6}$/).filter((plain) => !plain.includes("{")) }),
    part("print", { value: expressions }),
    part("raw", { text: fc.constantFrom("{{ a }}", " x ", "") }),
    part("set", { name, value: expressions }),
    part("if", {
      branches: fc.array(fc.record({ test: expressions, body }), { minLength: 1, maxLength: 2 }),
      otherwise: body,
    }),
    part("for", { name, sequence: expressions, body, otherwise: body }),
    part("filter", { filters: fc.array(filterCall, { minLength: 1, maxLength: 2 }), body }),
    part("block", { name: fc.constantFrom("b", "c"), body }),
  );
  return { body: fc.array(statement, { maxLength: 3, depthIdentifier: "body" }).map(apart) };
}).body as fc.Arbitrary<readonly Statement[]>;

function apart(parts: readonly { kind: string }[]): readonly { kind: string }[] {
  return parts.filter(({ kind }, index) => kind !== "text" || parts[index - 1]?.kind !== "text");
}
