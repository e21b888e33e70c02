/** Templates: lexer, parser, compiler, evaluator, and what finds references. */
import { type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import {
  compileTemplate,
  DEFAULT_LIMITS,
  inspectTemplate,
  renderDeep,
  renderText,
  renderValue,
  type Template,
} from "../../../src/expr/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { templateCorpus } from "../corpus.ts";
import { derive } from "../grammar.ts";
import { TEMPLATE_GRAMMAR, TEMPLATE_TOKENS } from "../grammars/template.ts";
import { mutate, mutated, type Spares } from "../mutate.ts";
import { expect, type Input, shown, type Target } from "../target.ts";
import { expectPlace, expectSameVariables, fuzzScope, isExpressionError } from "./scope.ts";

const SPARES: Spares = { corpus: templateCorpus(), tokens: TEMPLATE_TOKENS };

function generate(chance: Chance): Input {
  const derived = () => derive(TEMPLATE_GRAMMAR, "template", chance);
  return [
    chance.weighted([[4, () => mutated(chance, SPARES)], [3, derived], [
      2,
      () => mutate(derived(), chance, SPARES),
    ]])(),
  ];
}

function check([source = ""]: Input): void {
  const template = compile(source);
  if (!template) return;
  inspectTemplate(source);
  const text = run(template, () => renderText(template, fuzzScope()));
  expectSameVariables();
  const again = run(template, () => renderText(template, fuzzScope()));
  expect(text === again, () => `Rendered twice: ${shown(text ?? "refused")}, ${shown(again ?? "refused")}`);
  if (text !== undefined) {
    expect(text.length <= DEFAULT_LIMITS.maxOutputLength, () => `It rendered to ${text.length} characters`);
  }
  const value = run(template, () => renderValue(template, fuzzScope()));
  if (value !== undefined) run(template, () => expectJson(value));
  run(template, () => renderDeep({ [source]: [source] }, fuzzScope(), compileTemplate));
  expectSameVariables();
}

function compile(source: string): Template | undefined {
  try {
    return compileTemplate(source);
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    expectPlace(error, source);
    return undefined;
  }
}

/** Errors within a rendered text have a place in that text. */
function run<T>({ source }: Template, evaluate: () => T): T | undefined {
  try {
    return evaluate();
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    expect(error.offset >= 0 && error.line >= 1, () => `An error without a place: ${error.message}`);
    if (!source.includes("render")) expectPlace(error, source);
    return undefined;
  }
}

/** Only what JSON knows may be a value. */
function expectJson(value: JsonValue): void {
  const text = stringifyJson(value);
  expect(typeof text === "string", () => `A value that JSON does not know: ${String(value)}`);
}

/** Templates. */
export const templateTarget: Target = { name: "template", generate, check };
