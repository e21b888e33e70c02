/** Encrypts inputs of type SECRET, and decrypts them for expressions. Nothing else ever decrypts them. */
import type { Cipher } from "../../base/cipher.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ciphertextOf, encryptedValue } from "../../model/flows/input_value.ts";
import type { Flow } from "../../model/flows/flow.ts";

/** The flow that an input belongs to. */
type InputOwner = Pick<Flow, "tenant" | "namespace" | "id">;

/** Encrypts with the server's key, for one flow each: what another flow is given of it stays a ciphertext there. */
export class InputCipher {
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** What stands for the text in inputs. */
  seal(owner: InputOwner, text: string): JsonObject {
    return encryptedValue(this.#cipher.encrypt(text, contextOf(owner)));
  }

  /** The text; `undefined` when the value is not encrypted, or with another key, or for another flow. */
  open(owner: InputOwner, value: JsonValue): string | undefined {
    const bytes = ciphertextOf(value);
    return bytes && this.#cipher.decrypt(bytes, contextOf(owner));
  }
}

/** All executions of a flow share it, so that a replay can go on with the inputs of the one before. */
function contextOf({ tenant, namespace, id }: InputOwner): string {
  return JSON.stringify(["input", tenant, namespace, id]);
}
