/** All input types by name. A new type is a file of its own and a line here. */
import type { JsonValue } from "../../base/json.ts";
import { arrayInput } from "./array.ts";
import { booleanInput, boolInput } from "./boolean.ts";
import { durationInput } from "./duration.ts";
import { fileInput } from "./file.ts";
import { floatInput } from "./float.ts";
import type { Conversions, Converted, InputType } from "./input_type.ts";
import { intInput } from "./int.ts";
import { ionInput } from "./ion.ts";
import { jsonInput } from "./json.ts";
import { secretInput } from "./secret.ts";
import { multiselectInput, selectInput } from "./select.ts";
import { stringInput } from "./string.ts";
import { dateInput, dateTimeInput, timeOfDayInput } from "./time.ts";
import { emailInput, uriInput } from "./uri.ts";
import { yamlInput } from "./yaml.ts";

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

const BY_NAME: ReadonlyMap<string, InputType> = new Map(
  TYPES.flatMap((type) => type.names.map((name) => [name, type] as const)),
);

/** All types, for documentation and editors. */
export function listInputTypes(): readonly InputType[] {
  return TYPES;
}

/** The type of that name, or `undefined`. */
export function findInputType(name: string): InputType | undefined {
  return BY_NAME.get(name);
}

/** Converts elements of lists, which have a type and no further properties. A list would show its secrets: it has none. */
export const conversions: Conversions = Object.freeze({
  isKnown: (type: string) => elementType(type) !== undefined,
  convert(type: string, value: JsonValue): Converted | undefined {
    return elementType(type)?.convert(value, {}, conversions);
  },
});

function elementType(name: string): InputType | undefined {
  const type = BY_NAME.get(name);
  return type?.isSecret ? undefined : type;
}
