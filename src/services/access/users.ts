/** Users: the configured one, and those that are stored. All are in memory; changes are written through. */
import type { KeyWork } from "../../base/crypto/password_key.ts";
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError, illegalArgument, illegalState, invalidEntity, notFound } from "../../model/errors.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import {
  checkCredentials,
  checkPassword,
  checkUser,
  type Credentials,
  isActiveAdmin,
  MAX_USERS,
  shownUserName,
  type User,
  type UserChange,
  userNameProblem,
  type UserRequest,
} from "../../model/access/user.ts";
import type { Committer } from "../../store/committer.ts";
import type { Store } from "../../store/store.ts";
import { deleteUser, readUsers, setUser } from "../../store/records/access/user_records.ts";
import { Caller } from "./caller.ts";
import { PasswordHash } from "./password.ts";
import type { Tenants } from "./tenants.ts";

/** What users are built from. */
interface UsersDeps {
  /** The configured user. Absent, and no users stored: no credentials are required, and every caller may do everything. */
  readonly basic?: Credentials;
  /** Credentials are required although none are configured: the first user is given later, by {@link Users.createFirst}. */
  readonly isUserStored?: boolean;
  readonly store: Store;
  readonly committer: Committer;
  readonly tenants: Tenants;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly hashWork?: KeyWork;
}

/** A user with what a log-in needs. Each change of the user gives another object, with another caller: what knows the former is over. */
interface Account {
  readonly user: User;
  /** Hashing takes a quarter of a second; the first log-in waits for it, the start of the server does not. */
  readonly hash: Promise<PasswordHash>;
  readonly caller: Caller;
}

/** Drops what is kept for a user. */
interface UserListener {
  /** The user has changed or is gone: credentials that were verified before are not valid. */
  readonly changed: (name: string) => void;
  /** The user cannot log in and is about to be deleted, or created anew: removes what acts for it. */
  readonly leaving?: (name: string) => Promise<void>;
}

/** All changes are made one after the other: the rule on the last admin is about all users. */
const ALL = "users";

/** The users of the server. */
export class Users {
  /** False if the server requires no credentials. */
  readonly isProtected: boolean;
  readonly #deps: UsersDeps;
  readonly #lock = new KeyedLock();
  readonly #accounts = new Map<string, Account>();
  /** Users whose removal is not complete. */
  readonly #leaving = new Set<string>();
  readonly #listeners: UserListener[] = [];

  constructor(deps: UsersDeps) {
    this.#deps = deps;
    this.isProtected = deps.basic !== undefined || deps.isUserStored === true;
  }

  /** Reads the stored users and sets the configured one; call it once. @throws DomainError invalid_argument */
  async start(): Promise<void> {
    const { basic, store, tenants } = this.#deps;
    if (!this.isProtected) return;
    for (const { hash, salt, work, role, ...stored } of await readUsers(store)) {
      // Before there were roles, the first user could not log in where another one was configured.
      const isForgotten = role === undefined && basic !== undefined;
      const user = { ...stored, role: role ?? "admin", isConfigured: false } as const;
      this.#set(
        { ...user, isDisabled: stored.isDisabled || isForgotten },
        Promise.resolve(PasswordHash.from({ hash, salt, work })),
      );
    }
    if (basic) this.setConfigured(basic);
    if (!this.isEmpty && !this.list().some(isActiveAdmin)) {
      this.#deps.logger.warn("No user may administer this server: start it with --basic-auth-file");
    }
    const named = new Set(this.list().flatMap(({ tenants = [] }) => tenants));
    // A crash interrupted the removal of a tenant before its users were changed.
    for (const tenant of named) if (!tenants.has(tenant)) await this.#forgetTenant(tenant);
    tenants.onRemove({ closed: (tenant) => this.#forgetTenant(publicTenantId(tenant)) });
  }

  /** Waits for running hashes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#accounts.values()].map(({ hash }) => hash));
  }

  /** Adds a listener. */
  listen(listener: UserListener): void {
    this.#listeners.push(listener);
  }

  /** Whether there is no user. */
  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  /** The configured user, else the oldest admin, else any user; `undefined` if there is none. */
  get firstName(): string | undefined {
    const users = this.list().sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
    return (users.find(isActiveAdmin) ?? users[0])?.name;
  }

  /** All users, by name. */
  list(): User[] {
    const users = [...this.#accounts.values()].map(({ user }) => user);
    return users.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** @throws DomainError not_found */
  get(name: string): User {
    const account = this.#accounts.get(name);
    if (account) return account.user;
    throw notFound(`there is no user "${name.slice(0, 100)}"`);
  }

  /** The user of that name if it may log in. */
  find(name: string): Account | undefined {
    const account = this.#accounts.get(name);
    return account === undefined || account.user.isDisabled || this.#leaving.has(name) ? undefined : account;
  }

  /** Replaces the configured user. @throws DomainError invalid_argument */
  setConfigured({ user: name, password }: Credentials): void {
    const problem = userNameProblem(name) ??
      (password === "" ? "the password must not be empty" : undefined);
    if (problem) throw illegalArgument(problem);
    const { randomBytes, hashWork, logger } = this.#deps;
    const hash = PasswordHash.create(password, randomBytes, hashWork);
    hash.catch((error: Error) => logger.error("Cannot hash the password", { error: error.message }));
    this.#set({ name, role: "admin", isDisabled: false, isConfigured: true }, hash);
  }

  /** Creates the first user, an admin. */
  async createFirst(credentials: Credentials): Promise<void> {
    await this.#store({ name: credentials.user, role: "admin" }, credentials.password);
  }

  /** Creates a user. @throws DomainError invalid_entity, already_exists; conflict: there are too many, or no log-in */
  create({ user: name, password, role, tenants }: UserRequest): Promise<User> {
    return this.#lock.run(ALL, async () => {
      if (!this.isProtected) throw illegalState("a server without a login has no users");
      checkCredentials({ user: name, password });
      checkUser({ role, tenants });
      this.#checkTenants(tenants);
      const shown = shownUserName(name);
      const like = this.list().find((other) => shownUserName(other.name) === shown);
      if (like) {
        const reason = like.name === name
          ? "it exists already"
          : `"${like.name}" exists, which looks the same`;
        throw new DomainError("already_exists", `Cannot create user "${name}": ${reason}`);
      }
      if (this.#accounts.size >= MAX_USERS) {
        throw illegalState(`there are ${MAX_USERS} users; remove some first`);
      }
      // Tokens of a user that was configured under this name belong to somebody else.
      await this.#leave(name);
      return await this.#store({ name, role, tenants }, password);
    });
  }

  /**
   * Changes a user and ends what it is logged in with; with `proven` only while that is the user.
   * @throws DomainError not_found, invalid_entity; conflict: it is configured, or the last admin; unauthorized: it was changed
   * since it became `proven`
   */
  change(name: string, change: UserChange, proven?: Caller): Promise<Account> {
    return this.#lock.run(ALL, async () => {
      const account = this.#changeable(name);
      if (proven && this.find(name)?.caller !== proven) {
        throw new DomainError("unauthorized", "Unauthorized: the user was changed meanwhile");
      }
      const { password, tenants: given = account.user.tenants, ...members } = change;
      const tenants = given ?? undefined;
      const user = { ...account.user, ...withoutAbsent(members), tenants };
      checkUser(user);
      if (change.tenants) this.#checkTenants(tenants);
      if (!isActiveAdmin(user)) this.#checkAdminLeft(account.user);
      if (password !== undefined) checkPassword(password);
      const hash = password === undefined ? account.hash : this.#hash(password);
      return await this.#commit(user, await hash);
    });
  }

  /** Removes a user with its tokens. @throws DomainError not_found; conflict: it is configured, or the last admin */
  remove(name: string): Promise<void> {
    return this.#lock.run(ALL, async () => {
      const { user, caller } = this.#changeable(name);
      this.#checkAdminLeft(user);
      this.#leaving.add(name);
      this.#tell(name);
      try {
        await this.#leave(name);
        await this.#deps.committer.commit({ mutations: [deleteUser(name)] });
        this.#accounts.delete(name);
        caller.end();
        this.#deps.logger.info("Removed a user", { user: name });
      } finally {
        this.#leaving.delete(name);
        this.#tell(name);
      }
    });
  }

  #changeable(name: string): Account {
    const account = this.#accounts.get(name);
    if (!account) throw notFound(`there is no user "${name.slice(0, 100)}"`);
    if (account.user.isConfigured) {
      throw illegalState(
        `the user "${name}" is an option of the server; change --basic-auth-file or SLUICE_BASIC_AUTH`,
      );
    }
    return account;
  }

  /** @throws DomainError conflict: nobody could administer the server without that user */
  #checkAdminLeft(user: User): void {
    if (!isActiveAdmin(user)) return;
    if (this.list().some((other) => other.name !== user.name && isActiveAdmin(other))) return;
    throw illegalState(`the user "${user.name}" is the last admin; make another user an admin first`);
  }

  #checkTenants(ids: readonly string[] | undefined): void {
    const unknown = ids?.find((tenant) => !this.#deps.tenants.has(tenant));
    if (unknown !== undefined) throw invalidEntity(`tenants: there is no tenant "${unknown}"`);
  }

  async #leave(name: string): Promise<void> {
    for (const listener of this.#listeners) await listener.leaving?.(name);
  }

  async #store(members: Pick<User, "name" | "role" | "tenants">, password: string): Promise<User> {
    const createdAt: Instant = this.#deps.clock.now();
    const user: User = { ...members, isDisabled: false, isConfigured: false, createdAt };
    return (await this.#commit(user, await this.#hash(password))).user;
  }

  async #commit(user: User, hash: PasswordHash): Promise<Account> {
    const { createdAt = 0, ...members } = user;
    const record = setUser({ ...members, ...hash.stored, createdAt });
    await this.#deps.committer.commit({ mutations: [record] });
    const { name, role, isDisabled } = user;
    this.#deps.logger.info("Stored a user", { user: name, role, isDisabled });
    return this.#set(user, Promise.resolve(hash));
  }

  #hash(password: string): Promise<PasswordHash> {
    const { randomBytes, hashWork } = this.#deps;
    return PasswordHash.create(password, randomBytes, hashWork);
  }

  #set(user: User, hash: Promise<PasswordHash>): Account {
    const { name, role, tenants } = user;
    const account = { user, hash, caller: new Caller({ user: name, role, tenants }) };
    this.#accounts.get(name)?.caller.end();
    this.#accounts.set(name, account);
    this.#tell(name);
    return account;
  }

  #tell(name: string): void {
    for (const { changed } of this.#listeners) changed(name);
  }

  /** A new tenant with the same id is another one. */
  #forgetTenant(tenant: string): Promise<void> {
    return this.#lock.run(ALL, async () => {
      for (const { tenants = [], ...user } of this.list()) {
        if (!tenants.includes(tenant)) continue;
        const account = this.#accounts.get(user.name);
        if (!account) continue;
        await this.#commit({ ...user, tenants: tenants.filter((id) => id !== tenant) }, await account.hash);
      }
    });
  }
}

/** The members that have a value. */
function withoutAbsent(
  members: Pick<UserChange, "role" | "isDisabled">,
): Pick<UserChange, "role" | "isDisabled"> {
  const { role, isDisabled } = members;
  return { ...(role !== undefined && { role }), ...(isDisabled !== undefined && { isDisabled }) };
}
