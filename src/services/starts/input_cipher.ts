/** Encrypts inputs and outputs of type SECRET, and decrypts them for expressions only. */
import type { Cipher } from "../../base/crypto/cipher.ts";
import { type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../../base/json.ts";
import { ciphertextOf, encryptedValue } from "../../model/flows/input_value.ts";
import type { Flow } from "../../model/flows/flow.ts";

/** The flow that a value belongs to. */
type InputOwner = Pick<Flow, "tenant" | "namespace" | "id">;

/** Encrypts with the key of the server for one flow; another flow cannot decrypt the value. */
export class InputCipher {
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** The encrypted value of a text: an input of the flow, or the named output of another flow that it reads. */
  seal(owner: InputOwner, text: string, output?: string): JsonObject {
    return encryptedValue(this.#cipher.encrypt(text, contextOf(owner, output)));
  }

  /** The text; `undefined` if the value is not encrypted, or with another key, for another flow or for another place. */
  open(owner: InputOwner, value: JsonValue, output?: string): string | undefined {
    const bytes = ciphertextOf(value);
    return bytes && this.#cipher.decrypt(bytes, contextOf(owner, output));
  }

  /** The outputs of a flow for another one: those that it declares as SECRET are encrypted for `receiver`, or in clear without one. */
  handOver(flow: Flow, outputs: JsonObject, receiver?: InputOwner): JsonObject {
    const handed = { ...outputs };
    for (const { id, type } of flow.outputs) {
      const text = type === "SECRET" ? this.open(flow, ownProperty(outputs, id) ?? null) : undefined;
      if (text !== undefined) setOwnProperty(handed, id, receiver ? this.seal(receiver, text, id) : text);
    }
    return handed;
  }
}

/**
 * The same for all executions of a flow, so that a replay can reuse the inputs. The outputs of another flow may
 * contain a ciphertext that a caller has sent: that of an input must not be decrypted there.
 */
function contextOf({ tenant, namespace, id }: InputOwner, output?: string): string {
  return JSON.stringify(
    output === undefined ? ["input", tenant, namespace, id] : ["output", tenant, namespace, id, output],
  );
}
