/** Inputs: any declaration and any value give a value that JSON knows, or a reason. */
import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { buildInputs, checkInputs, listInputTypes, parseFlowSource } from "../../../src/flow/mod.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import type { Chance } from "../../crash/chance.ts";
import { mutate, type Spares } from "../mutate.ts";
import { expect, type Input, type Target } from "../target.ts";

const TYPES = listInputTypes().flatMap(({ names }) => names);
const VALUES = [
  ...'|0|-1|1.50|1e999|true|FALSE|on|2024-02-29|2024-02-29T10:00:00Z|10:11:12|PT1H|P1D|[1, 2]|{"a": 1.0}|a: [1]'
    .split("|"),
  ...'a|["a", "b"]|http://x.y/z|mailto:a@b|a@b.c|null|NaN|\u0000|123456789012345678901|9223372036854775808|[[[[]]]]|__proto__'
    .split("|"),
];
const PROPERTIES = [
  "min: 1",
  "max: 5",
  "validator: '^(a+)+$'",
  "values: [a, b, '1', null]",
  "itemType: INT",
  "itemType: JSON",
  "after: 2024-01-01T00:00:00Z",
  "before: 10:00:00",
  "required: false",
  "defaults: 1",
  "defaults: {a: 1}",
  "allowCustomValue: true",
  "expression: '{{ x }}'",
  "prefill: x",
  "dependsOn: {inputs: [b], condition: 'true'}",
  "autoSelectFirst: true",
];
/** Messages repeat what was declared. */
const MAX_DECLARATION_LENGTH = 2_000;
const SPARES: Spares = { corpus: VALUES, tokens: [...VALUES, ...PROPERTIES] };

function generate(chance: Chance): Input {
  const count = Math.floor(chance.next() * 4);
  const lines = [
    `id: ${chance.holds(0.1) ? "a.b" : "a"}`,
    `type: ${chance.pick(TYPES)}`,
    ...Array.from({ length: count }, () => chance.pick(PROPERTIES)),
  ];
  const value = chance.pick(VALUES) ?? "";
  const declaration = lines.join("\n  ");
  return [
    chance.holds(0.2) ? mutate(declaration, chance, SPARES) : declaration,
    chance.holds(0.6) ? mutate(value, chance, SPARES) : value,
    chance.holds(0.3) ? "json" : "text",
  ];
}

function check([declaration = "", text = "", form = ""]: Input): void {
  const { document } = parseFlowSource(`inputs:\n- ${declaration}\n- {id: b, type: STRING}\n`);
  const list = document?.inputs;
  if (!Array.isArray(list) || !list.every(isJsonObject) || declaration.length > MAX_DECLARATION_LENGTH) {
    return;
  }
  const given = givenValue(text, form);
  if (given === undefined) return;
  const inputs = buildInputs(list);
  for (const checked of checkInputs({ inputs }, new Map([["a", given], ["a.b", given]]))) {
    const { value, problem } = checked;
    expect(
      value === undefined || typeof stringifyJson(value) === "string",
      () => "A value that JSON does not know",
    );
    expect(
      problem === undefined || problem.length < 10_000,
      () => "A problem of more than 10,000 characters",
    );
  }
}

function givenValue(text: string, form: string): GivenValue | undefined {
  if (form === "text") return { kind: "text", text };
  try {
    const value: JsonValue = parseJson(text);
    return { kind: "value", value };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A declaration, a value, and the form in which the value is given. */
export const inputsTarget: Target = { name: "inputs", generate, check };
