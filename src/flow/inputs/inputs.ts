/** Given values → the `inputs` of an execution. No I/O: the caller stores files and renders expressions. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { ExpressionError } from "../../expr/mod.ts";
import { untimedBudget } from "../../languages/regex/mod.ts";
import { DomainError } from "../../model/errors.ts";
import type { Flow, Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { MAX_INPUT_VALUE_BYTES } from "../../model/limits.ts";
import { dependencyOf, dependencyOrder } from "./depends_on.ts";
import { flagOf, textOf } from "../schema/describe.ts";
import type { Conversions, Converted, InputType } from "./input_type.ts";
import { conversions, conversionsWith, findInputType } from "./registry.ts";
import { choiceTexts, firstChoice } from "./select.ts";
import { shownValue } from "./shown_value.ts";
import { valueBudget } from "../source/parse.ts";
import { hasExpression } from "../source/report.ts";

/** Renders a template with the inputs resolved so far. @throws ExpressionError it cannot be rendered */
type RenderInput = (template: string, inputs: JsonObject) => JsonValue;

/** The sealed value that replaces the text of a SECRET in the inputs of an execution. */
type SealInput = (text: string) => JsonValue;

/** Functions of the caller. */
export interface ResolveOptions {
  /** Without it, texts with expressions stay unchanged and conditions are true. */
  readonly render?: RenderInput;
  /** Encrypts the value of a SECRET; without it SECRET values are refused. */
  readonly seal?: SealInput;
  /** Masks secrets that expressions have read; applied to messages. */
  readonly mask?: (text: string) => string;
  /** A required input without a value is null, as for a start by a trigger: nothing there can be asked for it. */
  readonly isMissingNull?: boolean;
}

/** The outcome of one input. */
export interface InputCheck {
  readonly input: Input;
  /** Its properties, with the rendered choices in place of an `expression`. */
  readonly properties: JsonObject;
  /** False when the condition of its `dependsOn` is false or cannot be rendered: it is neither checked nor present. */
  readonly enabled: boolean;
  /** The value is the default. */
  readonly isDefault: boolean;
  /** That of a disabled input is as it was sent. */
  readonly value?: JsonValue;
  /** The problem of the value or the condition. */
  readonly problem?: string;
}

/** Every input with its value or its problem, in the order of the flow. */
export function checkInputs(
  flow: Pick<Flow, "inputs">,
  given: ReadonlyMap<string, GivenValue>,
  options: ResolveOptions = {},
): InputCheck[] {
  const resolver = new Resolver(given, options);
  const checks = new Map<Input, InputCheck>();
  for (const input of dependencyOrder(flow.inputs).ordered) checks.set(input, resolver.check(input));
  return flow.inputs.flatMap((input) => checks.get(input) ?? []);
}

/**
 * The inputs of an execution: converted, defaults applied, dotted ids nested, absent optional ones as null. Names that
 * the flow does not declare are ignored; `undefined` when it declares none.
 * @throws DomainError invalid_entity for the first invalid input
 */
export function resolveInputs(
  flow: Pick<Flow, "inputs">,
  given: ReadonlyMap<string, GivenValue>,
  options: ResolveOptions = {},
): JsonObject | undefined {
  return flow.inputs.length === 0 ? undefined : checkedInputs(checkInputs(flow, given, options));
}

/** The inputs of an execution from the outcome of each. @throws DomainError invalid_entity for the first invalid input */
export function checkedInputs(checks: readonly InputCheck[]): JsonObject {
  const inputs: JsonObject = {};
  for (const { input, enabled, value = null, problem } of checks) {
    if (!enabled) continue;
    if (problem !== undefined) {
      throw new DomainError("invalid_entity", `Invalid entity: ${problem}`, {
        items: [{ path: input.id, message: problem }],
      });
    }
    setNested(inputs, input.id, value);
  }
  return inputs;
}

/** A value converted to an input type, for outputs of flows; unchanged without a known type. */
export function convertValue(
  type: string | undefined,
  value: JsonValue,
  { seal }: Pick<ResolveOptions, "seal"> = {},
): Converted {
  const found = type === undefined || value === null ? undefined : findInputType(type);
  if (!found) return { value };
  const converted = found.convert(value, {}, conversions);
  return found.isSecret && "value" in converted ? sealed(converted.value, seal) : converted;
}

function sealed(value: JsonValue, seal: SealInput | undefined): Converted {
  if (typeof value !== "string") return { value };
  return seal
    ? { value: seal(value) }
    : { reason: "it cannot be encrypted: the server has no encryption key" };
}

/** Replaces a secret in messages; its length is constant. */
const HIDDEN_VALUE = "********";

/** Characters that are compared with secrets in one turn, counted for each secret: some 100 ms. */
const MAX_COMPARED_CHARS = 256 * 1024 * 1024;

/** Resolves inputs one after the other; later ones may refer to earlier ones. */
class Resolver {
  readonly #given: ReadonlyMap<string, GivenValue>;
  readonly #options: ResolveOptions;
  /** Secrets are in clear: conditions and defaults may depend on them. */
  readonly #resolved: JsonObject = {};
  readonly #secrets: string[] = [];
  #comparedChars = 0;
  readonly #disabled = new Set<string>();
  readonly #conversions: Conversions = conversionsWith({
    patternBudget: untimedBudget(),
    valueBudget: valueBudget(),
  });

  constructor(given: ReadonlyMap<string, GivenValue>, options: ResolveOptions) {
    this.#given = given;
    this.#options = options;
  }

  check(input: Input): InputCheck {
    let { properties } = input;
    const failed = (reason: string, received: JsonValue | undefined): InputCheck => {
      const isShown = !findInputType(input.type)?.isSecret || received === null || received === undefined;
      const shown = isShown ? shownValue(received) : HIDDEN_VALUE;
      const refused = `Invalid input for \`${input.id}\`, `;
      const problem = this.#withoutSecrets(`${refused}${reason}, but received \`${shown}\``) ??
        `${refused}the reason is not shown, since hiding all secrets in it takes too long: correct the other inputs first`;
      return { input, properties, enabled: true, isDefault: false, value: this.#sentOf(input), problem };
    };
    const isEnabled = this.#isEnabled(input);
    if (isEnabled !== true) {
      this.#disabled.add(input.id);
      const off = { input, properties, enabled: false, isDefault: false, value: this.#sentOf(input) };
      return typeof isEnabled === "string" ? { ...failed(isEnabled, null), ...off } : off;
    }
    const type = findInputType(input.type);
    if (!type) return failed(`type "${input.type}" is not known`, null);
    const offered = this.#withChoices(properties);
    if (typeof offered === "string") return failed(offered, null);
    properties = offered;
    const taken = this.#take(input, type, properties);
    if ("reason" in taken) return failed(taken.reason, taken.received);
    setNested(this.#resolved, input.id, taken.value);
    const { isDefault } = taken;
    if (!type.isSecret) return { input, properties, enabled: true, isDefault, value: taken.value };
    // One or two characters would match within any text.
    if (typeof taken.value === "string" && taken.value.length > 2) this.#secrets.push(taken.value);
    const kept = sealed(taken.value, this.#options.seal);
    if ("reason" in kept) return failed(kept.reason, taken.value);
    return { input, properties, enabled: true, isDefault, value: kept.value };
  }

  /** Masks secrets, which may be part of the value of another input; `undefined` if that takes too long. */
  #withoutSecrets(text: string): string | undefined {
    if (!this.#mayCompare(text)) return undefined;
    const shown = this.#options.mask?.(text) ?? text;
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, HIDDEN_VALUE), shown);
  }

  /** Counts the comparison of a text with each secret. */
  #mayCompare(text: string): boolean {
    this.#comparedChars += text.length * this.#secrets.length;
    return this.#comparedChars <= MAX_COMPARED_CHARS;
  }

  /** The condition, or why it cannot be rendered. An input that depends on a disabled one is disabled too. */
  #isEnabled(input: Input): boolean | string {
    const dependency = dependencyOf(input.properties);
    if (!dependency) return true;
    if (dependency.inputs.some((id) => this.#disabled.has(id))) return false;
    const { condition = "true" } = dependency;
    if (condition === "true" || !this.#options.render) return true;
    const rendered = this.#rendered(condition);
    if ("reason" in rendered) return `the condition of "dependsOn" cannot be rendered: ${rendered.reason}`;
    return rendered.value === true; // A text is no boolean, whatever it says.
  }

  /** The value of a disabled or invalid input as it was sent; `undefined` for none, and for a secret. */
  #sentOf({ id, type: name }: Input): JsonValue | undefined {
    const type = findInputType(name), given = givenFor(id, this.#given);
    return given && type && !type.isSecret ? valueOf(given, type) : undefined;
  }

  /** The properties with the rendered choices of `expression`, or why it cannot be rendered. */
  #withChoices(properties: JsonObject): JsonObject | string {
    const expression = textOf(properties, "expression");
    if (expression === undefined || !this.#options.render) return properties;
    const rendered = this.#rendered(expression);
    const choices = "reason" in rendered ? rendered : this.#conversions.convert("ARRAY", rendered.value);
    if (!choices || "reason" in choices) {
      return `the values cannot be rendered: ${choices?.reason ?? "no list"}`;
    }
    const { expression: _, ...others } = properties;
    return { ...others, values: choiceTexts(choices.value) };
  }

  #take(
    input: Input,
    type: InputType,
    properties: JsonObject,
  ): { value: JsonValue; isDefault: boolean } | { reason: string; received?: JsonValue } {
    const given = givenFor(input.id, this.#given);
    const sent = given && valueOf(given, type);
    if (sent !== undefined && sent !== null) {
      return convertSent(sent, { given, type, properties, input, conversions: this.#conversions });
    }
    const fallback = this.#defaultOf(input, properties);
    if ("reason" in fallback) return { reason: fallback.reason, received: input.defaults };
    if (fallback.value === null || fallback.value === "" && !type.takesEmptyText) {
      const isRefused = input.required && !this.#options.isMissingNull;
      return isRefused ? { reason: "missing required input" } : { value: null, isDefault: false };
    }
    const converted = type.convert(fallback.value, properties, this.#conversions);
    if ("value" in converted) return { value: converted.value, isDefault: true };
    const text = printed(fallback.value);
    const isHidden = !this.#mayCompare(text) || this.#secrets.some((secret) => text.includes(secret));
    return isHidden
      ? { reason: "its default depends on a secret and is not valid", received: HIDDEN_VALUE }
      : { reason: converted.reason, received: fallback.value };
  }

  #defaultOf(input: Input, properties: JsonObject): Converted {
    if (input.defaults !== undefined) return this.#renderAll(input.defaults);
    const isFirstDefault = flagOf(properties, "autoSelectFirst", false);
    const first = isFirstDefault ? firstChoice(properties) : null;
    return { value: first !== null && input.type === "MULTISELECT" ? [first] : first };
  }

  /** Renders every text in a default that holds an expression. */
  #renderAll(value: JsonValue): Converted {
    if (hasExpression(value)) return this.#rendered(value);
    if (!isJsonObject(value) && !Array.isArray(value)) return { value };
    const copy: JsonValue[] | JsonObject = Array.isArray(value) ? [] : {};
    for (const [name, item] of Object.entries(value)) {
      const rendered = this.#renderAll(item as JsonValue);
      if ("reason" in rendered) return rendered;
      if (Array.isArray(copy)) copy.push(rendered.value);
      else setOwnProperty(copy, name, rendered.value);
    }
    return { value: copy };
  }

  /** The rendered value, or why it cannot be rendered; the template itself without a renderer. */
  #rendered(template: string): Converted {
    const { render } = this.#options;
    try {
      return { value: render ? render(template, this.#resolved) : template };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { reason: error.message };
    }
  }
}

/** What was sent for an input: under its id, or as a member of an object under the first part of a dotted id. */
function givenFor(id: string, given: ReadonlyMap<string, GivenValue>): GivenValue | undefined {
  const sent = given.get(id), dot = id.indexOf(".");
  if (sent || dot < 0) return sent;
  const group = given.get(id.slice(0, dot));
  const value = group?.kind === "value" ? nestedValue(group.value, id.slice(dot + 1)) : undefined;
  return value === undefined || value === null ? undefined : { kind: "value", value };
}

/** The member of that dotted path; `undefined` if it does not exist. */
function nestedValue(value: JsonValue, path: string): JsonValue | undefined {
  return path.split(".").reduce<JsonValue | undefined>(
    (object, name) => isJsonObject(object) ? ownProperty(object, name) : undefined,
    value,
  );
}

/** The sent value; `undefined` for an empty one. */
function valueOf(given: GivenValue, type: InputType): JsonValue | undefined {
  switch (given.kind) {
    case "text":
      return given.text === "" && !type.takesEmptyText ? undefined : given.text;
    case "file":
      return given.uri;
    case "value":
      return given.value === "" && !type.takesEmptyText ? undefined : given.value;
  }
}

function convertSent(
  sent: JsonValue,
  { given, type, properties, input, conversions }: {
    given?: GivenValue;
    type: InputType;
    properties: JsonObject;
    input: Input;
    conversions: Conversions;
  },
): { value: JsonValue; isDefault: boolean } | { reason: string; received: JsonValue } {
  if (given?.kind === "file" && input.type !== "FILE") {
    return { reason: `a file was sent for an input of type ${input.type}`, received: sent };
  }
  if (isTooLarge(sent)) return { reason: `it is larger than ${MAX_INPUT_VALUE_BYTES} bytes`, received: sent };
  const converted = type.convert(sent, properties, conversions);
  return "reason" in converted
    ? { reason: converted.reason, received: sent }
    : { value: converted.value, isDefault: false };
}

function printed(value: JsonValue): string {
  return typeof value === "object" && value !== null ? stringifyJson(value) : String(value);
}

function isTooLarge(value: JsonValue): boolean {
  const text = printed(value);
  if (text.length * 3 <= MAX_INPUT_VALUE_BYTES) return false;
  return text.length > MAX_INPUT_VALUE_BYTES || new TextEncoder().encode(text).length > MAX_INPUT_VALUE_BYTES;
}

/** Sets `a.b.c` as member `c` of `b` of `a`. */
function setNested(target: JsonObject, id: string, value: JsonValue): void {
  const names = id.split(".");
  const last = names.pop() as string;
  let object = target;
  for (const name of names) {
    const existing = ownProperty(object, name);
    const next: JsonObject = isJsonObject(existing) ? existing : {};
    if (next !== existing) setOwnProperty(object, name, next);
    object = next;
  }
  setOwnProperty(object, last, value);
}
