/**
 * The set-up of the first user over the API, for a server that is protected but has no user in its configuration. Who may
 * do it: a caller on the machine of the server, or one with the token that the server prints when it starts.
 */
import type { RandomBytes } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { constantTimeEqual } from "../../base/crypto/constant_time_equal.ts";
import { DomainError, illegalState } from "../../model/errors.ts";
import { checkCredentials, type Credentials } from "../../model/access/user.ts";
import type { Users } from "./users.ts";

interface FirstUserDeps {
  readonly users: Users;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
}

/** A request to set the first user. */
export interface FirstUserRequest extends Credentials {
  /** The printed token; not needed by a local caller. */
  readonly token?: string;
  /** The caller is on the machine of the server. */
  readonly isLocal: boolean;
  /** IP address of the caller, for the log. */
  readonly address: string;
}

const TOKEN_BYTES = 16;

/** Refuses the set-up where the user is an option of the server, or none is needed. */
export function credentialsAreOptions(): DomainError {
  return illegalState(
    "credentials are not set over the API; " +
      "start the server with --basic-auth-file, or set SLUICE_BASIC_AUTH",
  );
}

/** Sets the first user once; the user is stored. */
export class FirstUser {
  readonly #deps: FirstUserDeps;
  #token: string | undefined;
  #isBeingSet = false;

  constructor(deps: FirstUserDeps) {
    this.#deps = deps;
  }

  /** True while there is no user. */
  get isOpen(): boolean {
    return this.#token !== undefined;
  }

  /** The token of the set-up, new at each start; `undefined` once there is a user. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Opens the set-up if there is no user; call it once, after the users are read. */
  start(): void {
    if (this.#deps.users.isEmpty) this.#token = this.#newToken();
  }

  /**
   * Sets the first user; resolves once it is durable and can log in.
   * @throws DomainError conflict: there is a user already; forbidden: neither local nor with the token; invalid_entity
   */
  async setUp({ token, isLocal, address, user, password }: FirstUserRequest): Promise<void> {
    this.#checkCaller({ token, isLocal, address });
    checkCredentials({ user, password });
    this.#isBeingSet = true;
    try {
      await this.#deps.users.createFirst({ user, password });
      this.#token = undefined;
    } finally {
      this.#isBeingSet = false;
    }
    this.#deps.logger.info("The first user is set", { user, address });
  }

  #checkCaller({ token, isLocal, address }: Omit<FirstUserRequest, keyof Credentials>): void {
    if (this.#token === undefined || this.#isBeingSet) {
      throw illegalState("the first user is set already; log in with its password");
    }
    if (isLocal || (token !== undefined && constantTimeEqual(token, this.#token))) return;
    this.#deps.logger.warn("Refused to set the first user", { address, hasToken: token !== undefined });
    throw new DomainError(
      "forbidden",
      "Forbidden: the first user is set from the machine of the server, or with the token that the server printed " +
        "when it started",
    );
  }

  #newToken(): string {
    const bytes = new Uint8Array(TOKEN_BYTES);
    this.#deps.randomBytes(bytes);
    return bytes.toHex();
  }
}
