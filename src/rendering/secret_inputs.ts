/** Inputs as templates see them: those of type SECRET are decrypted on first use. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { ExpressionError } from "../expr/mod.ts";
import { ciphertextOf } from "../model/flows/input_value.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow, Input } from "../model/flows/flow.ts";

/** The type of inputs that are stored encrypted. */
const SECRET_TYPE = "SECRET";

/** Decrypts a value of a flow's inputs; `undefined` when the key of this server does not fit. */
type OpenInput = (flow: Flow, value: JsonValue) => string | undefined;

/** How encrypted values are shown. */
export interface Decryption {
  /** Without it nothing can be read. */
  readonly openInput?: OpenInput;
  /** Templates see encrypted values as they are stored; they are decrypted only to mask them. */
  readonly keepsEncrypted?: boolean;
}

/** The inputs of one execution. */
export class SecretInputs {
  readonly #flow: Flow;
  readonly #execution: Execution;
  readonly #open: OpenInput | undefined;
  readonly #keepsEncrypted: boolean;
  #opened: JsonObject | undefined;
  readonly #values: string[] = [];
  #unreadable: string | undefined;

  constructor(
    flow: Flow,
    execution: Execution,
    { openInput, keepsEncrypted = false }: Decryption,
  ) {
    this.#flow = flow;
    this.#execution = execution;
    this.#open = openInput;
    this.#keepsEncrypted = keepsEncrypted;
  }

  /** All inputs. @throws ExpressionError `host`: one of them was encrypted with another key */
  get inputs(): JsonObject {
    if (this.#keepsEncrypted) return this.#execution.inputs ?? {};
    const inputs = this.#opened ?? this.#read();
    if (this.#unreadable === undefined) return inputs;
    throw new ExpressionError(
      "host",
      `Cannot read input "${this.#unreadable}": it was changed or encrypted with another key; start the execution again`,
    );
  }

  /** The texts of those of type SECRET that can be read; the list only grows, also by {@link openOutputs}. */
  get values(): readonly string[] {
    if (!this.#opened) this.#read();
    return this.#values;
  }

  /**
   * Outputs of a task run as templates see them. Decrypts the SECRET inputs of a pause, the encrypted outputs of a script and
   * the response of an HTTP request. The response is not masked: it is a text of any length, and no secret of the server.
   */
  openOutputs(outputs: JsonObject): JsonObject {
    const body = ownProperty(outputs, "encryptedBody");
    const text = ciphertextOf(body) && this.#open?.(this.#flow, body as JsonValue);
    const withBody = text === undefined ? outputs : { ...outputs, encryptedBody: text };
    const opened = this.#openWithin(this.#openWithin(withBody, "vars", 1), "onResume", Infinity);
    return this.#keepsEncrypted ? outputs : opened;
  }

  #openWithin(outputs: JsonObject, name: "onResume" | "vars", depth: number): JsonObject {
    const given = ownProperty(outputs, name);
    if (!isJsonObject(given)) return outputs;
    const opened = this.#openMembers(given, depth);
    return opened === given ? outputs : { ...outputs, [name]: opened };
  }

  /** A dotted id is a nested object. */
  #openMembers(object: JsonObject, depth: number): JsonObject {
    let copy = object;
    for (const name of Object.keys(object)) {
      const value = ownProperty(object, name);
      if (!isJsonObject(value)) continue;
      const text = ciphertextOf(value) === undefined ? undefined : this.#open?.(this.#flow, value);
      if (text !== undefined) this.#values.push(text);
      const opened = text ?? (depth > 1 ? this.#openMembers(value, depth - 1) : value);
      if (opened !== value) copy = withMember(copy, [name], opened);
    }
    return copy;
  }

  #read(): JsonObject {
    let inputs = this.#execution.inputs ?? {};
    for (const input of this.#flow.inputs) {
      if (input.type === SECRET_TYPE) inputs = this.#openOne(input, inputs);
    }
    return this.#opened = inputs;
  }

  #openOne({ id }: Input, inputs: JsonObject): JsonObject {
    const names = id.split(".");
    const value = names.reduce<JsonValue | undefined>(memberOf, inputs);
    // Not encrypted: it comes from a revision in which the input was no secret.
    const text = typeof value === "string" ? value : this.#textOf(id, value);
    if (text === undefined) return inputs;
    this.#values.push(text);
    return withMember(inputs, names, text);
  }

  #textOf(id: string, value: JsonValue | undefined): string | undefined {
    if (value === undefined || ciphertextOf(value) === undefined) return undefined;
    const text = this.#open?.(this.#flow, value);
    if (text === undefined) this.#unreadable ??= id;
    return text;
  }
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? ownProperty(value, name) : undefined;
}

/** A copy in which `a.b` has that value; the stored original stays. */
function withMember(
  object: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: JsonValue,
): JsonObject {
  const copy = { ...object };
  const inner = ownProperty(object, name);
  setOwnProperty(
    copy,
    name,
    rest.length === 0 ? value : withMember(isJsonObject(inner) ? inner : {}, rest, value),
  );
  return copy;
}
