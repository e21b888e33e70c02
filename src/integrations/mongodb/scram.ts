/** Log-in with a password by SCRAM, RFC 5802 and RFC 7677. */
import { createHash, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Who logs in. */
interface ScramUser {
  readonly username: string;
  readonly password: string;
  readonly mechanism: "SCRAM-SHA-1" | "SCRAM-SHA-256";
}

/** A server that asked for more would keep this one busy; servers ask for 15,000. */
const MAX_ITERATIONS = 200_000;
const MIN_ITERATIONS = 4096;

/** One log-in. */
export class ScramLogin {
  /** First message to the server. */
  readonly first: string;
  readonly #user: ScramUser;
  readonly #bare: string;
  readonly #nonce: string;
  #serverSignature = Buffer.alloc(0);

  constructor(user: ScramUser, nonce: string = crypto.getRandomValues(new Uint8Array(24)).toBase64()) {
    this.#user = user;
    this.#nonce = nonce;
    this.#bare = `n=${user.username.replace(/=/g, "=3D").replace(/,/g, "=2C")},r=${nonce}`;
    this.first = `n,,${this.#bare}`;
  }

  /** The proof for the first reply of the server. @throws Error it is no reply to this log-in */
  async proof(reply: string): Promise<string> {
    const { r = "", s = "", i = "" } = membersOf(reply);
    const iterations = Number(i);
    if (!r.startsWith(this.#nonce) || r === this.#nonce) throw new Error("the nonce of the server is wrong");
    if (!(iterations >= MIN_ITERATIONS && iterations <= MAX_ITERATIONS)) {
      throw new Error(`the server asks for ${i} iterations`);
    }
    const digest = this.#user.mechanism === "SCRAM-SHA-1" ? "sha1" : "sha256";
    const hmac = (key: Buffer, text: string) => createHmac(digest, key).update(text).digest();
    const length = digest === "sha1" ? 20 : 32;
    const salted = await promisify(pbkdf2)(
      this.#secret(),
      Buffer.from(s, "base64"),
      iterations,
      length,
      digest,
    );
    const clientKey = hmac(salted, "Client Key");
    const stored = createHash(digest).update(clientKey).digest();
    const end = `c=biws,r=${r}`;
    const message = `${this.#bare},${reply},${end}`;
    this.#serverSignature = hmac(hmac(salted, "Server Key"), message);
    const signature = hmac(stored, message);
    return `${end},p=${
      Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))).toString("base64")
    }`;
  }

  /** Checks that the server has the password, too. @throws Error it has not */
  verify(reply: string): void {
    const signature = Buffer.from(membersOf(reply).v ?? "", "base64");
    const isSame = signature.length === this.#serverSignature.length &&
      timingSafeEqual(signature, this.#serverSignature);
    if (!isSame) throw new Error("the signature of the server is wrong");
  }

  /** With SHA-1 MongoDB hashes the password with the name first. */
  #secret(): string {
    const { mechanism, username, password } = this.#user;
    if (mechanism === "SCRAM-SHA-256") return password.normalize("NFKC");
    return createHash("md5").update(`${username}:mongo:${password}`).digest("hex");
  }
}

function membersOf(text: string): { readonly [name in "r" | "s" | "i" | "v"]?: string } {
  return Object.fromEntries(text.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}
