/** All input types by name. */
import type { JsonValue } from "../../base/json.ts";
import { booleanInput, boolInput } from "./boolean.ts";
import { durationInput } from "./duration.ts";
import { fileInput } from "./file.ts";
import { formInput } from "./form.ts";
import type { ConversionBudgets, Conversions, Converted, InputDeclaration, InputType } from "./input_type.ts";
import { ionInput, jsonInput, yamlInput } from "./json.ts";
import { floatInput, intInput } from "./number.ts";
import { arrayInput, multiselectInput, selectInput } from "./select.ts";
import { emailInput, secretInput, stringInput, uriInput } from "./string.ts";
import { dateInput, dateTimeInput, timeOfDayInput } from "./time.ts";

const TYPES: readonly InputType[] = [
  stringInput,
  secretInput,
  intInput,
  floatInput,
  boolInput,
  booleanInput,
  dateTimeInput,
  dateInput,
  timeOfDayInput,
  durationInput,
  fileInput,
  jsonInput,
  yamlInput,
  ionInput,
  uriInput,
  emailInput,
  selectInput,
  multiselectInput,
  arrayInput,
];

const DECLARED: readonly InputDeclaration[] = [...TYPES, formInput];

const BY_NAME = byName(TYPES);
const DECLARED_BY_NAME = byName(DECLARED);

function byName<T extends InputDeclaration>(types: readonly T[]): ReadonlyMap<string, T> {
  return new Map(types.flatMap((type) => type.names.map((name) => [name, type] as const)));
}

/** All types that an input may have, for documentation and editors. */
export function listInputTypes(): readonly InputDeclaration[] {
  return DECLARED;
}

/** The type of that name that an input may have, or `undefined`. */
export function findDeclaredType(name: string): InputDeclaration | undefined {
  return DECLARED_BY_NAME.get(name);
}

/** All types that a value may have: those of inputs without FORM. */
export function listValueTypes(): readonly InputType[] {
  return TYPES;
}

/** The type of values of that name, or `undefined`. */
export function findInputType(name: string): InputType | undefined {
  return BY_NAME.get(name);
}

/** Converts elements of lists. Elements have no properties besides their type, and are never secret: lists are shown. */
export const conversions: Conversions = conversionsWith({});

/** As {@link conversions}, which share budgets. */
export function conversionsWith({ patternBudget, valueBudget }: ConversionBudgets): Conversions {
  const shared: Conversions = Object.freeze({
    patternBudget,
    valueBudget,
    isKnown: (type: string) => elementType(type) !== undefined,
    convert(type: string, value: JsonValue): Converted | undefined {
      return elementType(type)?.convert(value, {}, shared);
    },
  });
  return shared;
}

function elementType(name: string): InputType | undefined {
  const type = BY_NAME.get(name);
  return type?.isSecret ? undefined : type;
}
