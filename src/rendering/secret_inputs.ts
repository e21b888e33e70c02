/** Inputs as templates see them: those of type SECRET are decrypted on first use. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { ExpressionError } from "../expr/mod.ts";
import { ciphertextOf } from "../model/flows/input_value.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow, Input } from "../model/flows/flow.ts";

/** The type of inputs that are stored encrypted. */
const SECRET_TYPE = "SECRET";

/** Decrypts an input of a flow, or an output of that name of another flow; `undefined` when the key of this server does not fit. */
type OpenInput = (flow: Flow, value: JsonValue, output?: string) => string | undefined;

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
   * Outputs of a task run as templates see them. Decrypts the SECRET inputs of a pause, the SECRET outputs of another flow, the
   * encrypted outputs of a script and the response of an HTTP request. The response is not masked: it is a text of any length,
   * and no secret of the server. Outputs of other flows may be grouped by namespace and flow: `depth` 3.
   */
  openOutputs(outputs: JsonObject, depth = 1): JsonObject {
    const body = ownProperty(outputs, "encryptedBody");
    const text = ciphertextOf(body) && this.#open?.(this.#flow, body as JsonValue);
    const withBody = text === undefined ? outputs : { ...outputs, encryptedBody: text };
    const withFlow = this.#openWithin(this.#openWithin(withBody, "vars", 1), "outputs", depth);
    const opened = this.#openWithin(withFlow, "onResume", Infinity);
    return this.#keepsEncrypted ? outputs : opened;
  }

  #openWithin(outputs: JsonObject, name: "onResume" | "outputs" | "vars", depth: number): JsonObject {
    const given = ownProperty(outputs, name);
    if (!isJsonObject(given)) return outputs;
    const opened = this.#openMembers(given, depth, name === "outputs");
    return opened === given ? outputs : { ...outputs, [name]: opened };
  }

  /** A dotted id is a nested object. */
  #openMembers(object: JsonObject, depth: number, areOutputs: boolean): JsonObject {
    let copy = object;
    for (const name of Object.keys(object)) {
      const value = ownProperty(object, name);
      if (!isJsonObject(value)) continue;
      const output = areOutputs ? name : undefined;
      const text = ciphertextOf(value) === undefined ? undefined : this.#open?.(this.#flow, value, output);
      if (text !== undefined) this.#values.push(text);
      const opened = text ?? (depth > 1 ? this.#openMembers(value, depth - 1, areOutputs) : value);
      if (opened === value) continue;
      if (copy === object) copy = { ...object };
      setOwnProperty(copy, name, opened);
    }
    return copy;
  }

  #read(): JsonObject {
    const inputs = new EditedObject(this.#execution.inputs ?? {});
    for (const input of this.#flow.inputs) {
      if (input.type === SECRET_TYPE) this.#openOne(input, inputs);
    }
    return this.#opened = inputs.value;
  }

  #openOne({ id }: Input, inputs: EditedObject): void {
    const names = id.split(".");
    const value = names.reduce<JsonValue | undefined>(memberOf, inputs.value);
    // Not encrypted: it comes from a revision in which the input was no secret.
    const text = typeof value === "string" ? value : this.#textOf(id, value);
    if (text === undefined) return;
    this.#values.push(text);
    inputs.set(names, text);
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

/** An object and its changes; the stored original stays. Each object is copied once: there may be thousands of changes. */
class EditedObject {
  #value: JsonObject;
  readonly #copies = new Set<JsonObject>();

  constructor(original: JsonObject) {
    this.#value = original;
  }

  get value(): JsonObject {
    return this.#value;
  }

  /** Sets `a.b`. */
  set(names: readonly string[], value: JsonValue): void {
    let object = this.#value = this.#copyOf(this.#value);
    for (const name of names.slice(0, -1)) {
      const inner = ownProperty(object, name);
      const copy = this.#copyOf(isJsonObject(inner) ? inner : {});
      setOwnProperty(object, name, copy);
      object = copy;
    }
    setOwnProperty(object, names.at(-1) ?? "", value);
  }

  #copyOf(object: JsonObject): JsonObject {
    if (this.#copies.has(object)) return object;
    const copy = { ...object };
    this.#copies.add(copy);
    return copy;
  }
}
