/** The public conformance vectors of the expression language, one test each. */
import { assertEquals, assertThrows } from "@std/assert";
import { ExpressionError } from "../../src/expr/mod.ts";
import vectors from "../fixtures/expression_vectors.json" with { type: "json" };
import { kinded, renderRow } from "./support.ts";

vectors.forEach(({ template, context, expect }, index) => {
  Deno.test(`renderText() vector ${index + 1}: ${template}`, () => {
    const render = () => renderRow(template, kinded(context));
    if (typeof expect === "string") assertEquals(render(), expect);
    else assertThrows(render, ExpressionError);
  });
});
