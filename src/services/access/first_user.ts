/**
 * The set-up of the first user over the API, for a server that is protected but has no user in its configuration. Who may
 * do it: a caller on the machine of the server, or one with the token that the server prints when it starts.
 */
import type { Clock } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { constantTimeEqual } from "../../base/crypto/constant_time_equal.ts";
import { DomainError, illegalState, invalidEntity } from "../../model/errors.ts";
import type { Committer } from "../../store/committer.ts";
import { readUsers, setUser } from "../../store/records/access/user_records.ts";
import type { Store } from "../../store/store.ts";
import { type Auth, type Credentials, userNameProblem } from "./auth.ts";
import { type HashWork, PasswordHash } from "./password.ts";

interface FirstUserDeps {
  readonly auth: Auth;
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly hashWork?: HashWork;
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
const MIN_PASSWORD_LENGTH = 8;
const MAX_LENGTH = 256;

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

  /** Reads the stored user, or opens the set-up; call it once. */
  async start(): Promise<void> {
    const { store, auth } = this.#deps;
    const [user] = await readUsers(store);
    if (user) auth.useHash(user.name, PasswordHash.from(user));
    else this.#token = this.#newToken();
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
      await this.#store({ user, password });
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

  async #store({ user, password }: Credentials): Promise<void> {
    const { auth, committer, clock, randomBytes, hashWork } = this.#deps;
    const hash = await PasswordHash.create(password, randomBytes, hashWork);
    const record = { name: user, ...hash.stored, createdAt: clock.now() };
    await committer.commit({ mutations: [setUser(record)] });
    auth.useHash(user, hash);
    this.#token = undefined;
  }

  #newToken(): string {
    const bytes = new Uint8Array(TOKEN_BYTES);
    this.#deps.randomBytes(bytes);
    return bytes.toHex();
  }
}

function checkCredentials({ user, password }: Credentials): void {
  const problem = userNameProblem(user);
  if (problem) throw invalidEntity(`username: ${problem}`);
  if (user.length > MAX_LENGTH) throw invalidEntity(`username: at most ${MAX_LENGTH} characters are allowed`);
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_LENGTH) {
    throw invalidEntity(`password: must have ${MIN_PASSWORD_LENGTH} to ${MAX_LENGTH} characters`);
  }
}
