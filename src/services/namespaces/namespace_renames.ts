/**
 * Renames namespaces. A rename is stored first; from then on it is carried out to its end, after a crash by the next boot. While
 * it is under way both names are frozen: every change of their data, and every start, is refused.
 */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Logger } from "../../base/log.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, illegalState, notFound } from "../../model/errors.ts";
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { checkNamespace, isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Committer } from "../../store/committer.ts";
import {
  namespaceMutation,
  type NamespaceRecord,
  type NamespaceRecords,
} from "../../store/records/namespace_records.ts";
import type {
  NamespaceMove,
  NamespaceRename,
  RenameRecords,
  Reseal,
} from "../../store/records/rename_records.ts";
import { type FlowMoves, renamedRevision } from "../flows/flow_moves.ts";
import type { Flows } from "../flows/flows.ts";
import type { NamespaceDefaults } from "../flows/namespace_defaults.ts";
import type { KvPairs } from "./kv_pairs.ts";
import { type NamespaceUsage, type NamespaceUsages, SHOWN_EXECUTIONS } from "./namespace_usage.ts";
import type { Secrets } from "./secrets.ts";

/** What changes data of a namespace under locks of its own. */
interface Settling {
  settled(tenant: TenantId, namespace: string): Promise<void>;
}

interface NamespaceRenamesDeps {
  readonly flows: Flows;
  readonly flowMoves: Pick<FlowMoves, "move">;
  readonly usages: NamespaceUsages;
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
  readonly defaults: NamespaceDefaults;
  readonly namespaceRecords: NamespaceRecords;
  readonly renames: RenameRecords;
  readonly committer: Committer;
  readonly executor: Pick<Executor, "unfinishedIn">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Everything else whose changes may be under way. */
  readonly settling: readonly Settling[];
}

/** A rename that a caller asks for. */
interface RenameRequest {
  readonly from: string;
  readonly to: string;
  /** Leaves the namespaces below it where they are. */
  readonly isAlone?: boolean;
  /** Renames it though flows or dashboards refer to it. */
  readonly isForced?: boolean;
}

/** What was renamed. */
interface RenameResult {
  readonly moves: readonly NamespaceMove[];
  readonly usage: NamespaceUsage;
}

const RETRY_MS = 1_000;
const SHOWN_REFERENCES = 5;
/** Namespaces of one rename: the record of it fits one value. */
const MAX_MOVES = 150;

/** The use case. */
export class NamespaceRenames {
  readonly #deps: NamespaceRenamesDeps;
  readonly #locks = new KeyedLock();
  readonly #cancels = new Map<TenantId, () => void>();
  #isStopped = false;

  constructor(deps: NamespaceRenamesDeps) {
    this.#deps = deps;
  }

  /** Continues the renames that an earlier process left; before anything of the tenants runs. */
  async resume(tenants: Iterable<TenantId>): Promise<void> {
    for (const tenant of tenants) {
      const rename = await this.#deps.renames.find(tenant);
      if (!rename) continue;
      this.#deps.committer.frozen.freeze(tenant, rename.moves);
      // A database that takes no writes does not prevent the boot.
      await this.#finishOrRetry(rename).catch(() => undefined);
    }
  }

  /**
   * Renames a namespace; resolves once that is durable and complete.
   * @throws DomainError not_found, invalid_argument, already_exists, conflict: nothing was changed; storage_full or unavailable:
   * it was not begun, or it is continued once the database accepts writes
   */
  async rename(actor: Actor, request: RenameRequest): Promise<RenameResult> {
    const { tenant } = actor;
    if (this.#locks.isHeld(tenant)) throw busy();
    return await this.#locks.run(tenant, async () => {
      if (await this.#deps.renames.find(tenant)) throw busy();
      const moves = await this.#movesOf(actor, request);
      const names = moves.map(([from]) => from);
      await this.#checkTargets(actor, moves);
      await this.#checkContent(tenant, moves);
      const usage = await this.#deps.usages.of(actor, request.from, request.isAlone);
      checkReferences(request, usage);
      const { frozen } = this.#deps.committer;
      frozen.freeze(tenant, moves);
      const rename = { tenant, moves, author: actor.user };
      try {
        await this.#settle(tenant, moves);
        // Again, since nothing of it can change now.
        await this.#checkTargets(actor, moves);
        checkUnfinished(request.from, this.#starting(tenant, names));
        checkUnfinished(request.from, await this.#deps.usages.unfinished(actor, names));
        await this.#deps.renames.begin(rename);
      } catch (error) {
        // If its record may have been written, the next boot decides.
        if (!(error instanceof DomainError && error.code === "outcome_unknown")) frozen.thaw(tenant);
        throw error;
      }
      await this.#finishOrRetry(rename);
      return { moves, usage };
    });
  }

  /** The executions that have not ended, also those whose first commit is under way. */
  #starting(tenant: TenantId, names: readonly string[]): NamespaceUsage["unfinished"] {
    const ids = this.#deps.executor.unfinishedIn(tenant, names);
    return { total: ids.length, ids: ids.slice(0, SHOWN_EXECUTIONS) };
  }

  async #finishOrRetry(rename: NamespaceRename): Promise<void> {
    try {
      await this.#finish(rename);
    } catch (error) {
      this.#retryLater(rename, error as Error);
      throw error;
    }
  }

  #retryLater(rename: NamespaceRename, error: Error): void {
    const { clock, logger, committer } = this.#deps;
    const { tenant } = rename;
    // The tenant was removed, with what is left of the rename.
    if (error instanceof DomainError && error.code === "not_found") return committer.frozen.thaw(tenant);
    if (this.#isStopped) return;
    const details = { error: error.message };
    logger.repeated("warn", "Cannot finish the rename of a namespace yet; retrying", details);
    const retry = () =>
      void this.#locks.run(tenant, () => this.#finishOrRetry(rename)).catch(() => undefined);
    this.#cancels.set(tenant, clock.setTimer(RETRY_MS, retry));
  }

  /** Retries nothing any more: the next process continues. */
  [Symbol.dispose](): void {
    this.#isStopped = true;
    for (const cancel of this.#cancels.values()) cancel();
  }

  /** Carries out a stored rename; what was done before is done again. */
  async #finish({ tenant, moves, author }: NamespaceRename): Promise<void> {
    const { committer, defaults, flowMoves, kvPairs, renames, secrets, logger } = this.#deps;
    const renamed = new Map(moves);
    for (const move of moves) await this.#copyRecord(tenant, move);
    const reseal: Reseal = (secret, to) => secrets.reseal(tenant, secret, to);
    for (const move of moves) await renames.copy(tenant, move, reseal);
    for (const move of moves) await flowMoves.move(tenant, move, renamed);
    for (const move of moves) await renames.remove(tenant, move);
    const ended = moves.map(([id, renamedTo]): NamespaceRecord => ({ id, isDeleted: true, renamedTo }));
    await renames.end(tenant, ended.map((record) => namespaceMutation(tenant, record)), () => {
      for (const record of ended) defaults.put(tenant, record);
      secrets.moved();
      kvPairs.moved();
      committer.frozen.thaw(tenant);
    });
    const [[namespace, id] = ["", ""]] = moves;
    logger.info("Renamed a namespace", { namespace, id, user: author });
  }

  /** The record under the new name: its flows are built with what they inherit. */
  async #copyRecord(tenant: TenantId, [from, to]: NamespaceMove): Promise<void> {
    const { namespaceRecords, renames, defaults } = this.#deps;
    const record = await namespaceRecords.get(tenant, from);
    const isThere = record && !record.isDeleted;
    if (!isThere && !await namespaceRecords.get(tenant, to)) return;
    const copied = { ...isThere ? record : {}, id: to, isDeleted: false };
    const batch = renames.batch();
    await batch.add([namespaceMutation(tenant, copied)]);
    await batch.flush();
    defaults.put(tenant, copied);
  }

  /** Waits for changes that began before the freeze: each is durable, or refused by it. */
  async #settle(tenant: TenantId, moves: readonly NamespaceMove[]): Promise<void> {
    const { flows, secrets, kvPairs, settling } = this.#deps;
    const names = moves.flat();
    const all = [flows, secrets, kvPairs, ...settling];
    await Promise.all(all.flatMap((each) => names.map((name) => each.settled(tenant, name))));
  }

  /** The namespaces to rename. @throws DomainError not_found, invalid_argument */
  async #movesOf(actor: Actor, { from, to, isAlone = false }: RenameRequest): Promise<NamespaceMove[]> {
    checkNamespace(from);
    checkNamespace(to);
    const { usages, flows, namespaceRecords, renames } = this.#deps;
    if (from === SYSTEM_NAMESPACE || to === SYSTEM_NAMESPACE) {
      throw illegalArgument(
        `namespace "${SYSTEM_NAMESPACE}" is reserved: it cannot be renamed, nor be a new name`,
      );
    }
    if (from === to) throw illegalArgument(`namespace "${from}" has this name already`);
    if (!isAlone && isWithinNamespace(to, from)) {
      throw illegalArgument(
        `namespace "${from}" cannot be renamed to "${to}", which is below it, together with those below it`,
      );
    }
    const below = await usages.below(actor, from);
    const record = await namespaceRecords.get(actor.tenant, from);
    const isThere = (record && !record.isDeleted) || flows.inNamespace(actor, from).length > 0 ||
      below.length > 0 || await renames.hasContent(actor.tenant, from);
    if (!isThere) throw notFound(`namespace "${from}" does not exist`);
    const names = isAlone ? [from] : [from, ...below];
    if (names.length > MAX_MOVES) {
      throw illegalArgument(
        `at most ${MAX_MOVES} namespaces are renamed at once, but ${names.length} are below "${from}"`,
      );
    }
    const moves = names.map((name): NamespaceMove => [
      name,
      checkNamespace(`${to}${name.slice(from.length)}`),
    ]);
    checkDisjoint(moves);
    return moves;
  }

  /** @throws DomainError already_exists */
  async #checkTargets(actor: Actor, moves: readonly NamespaceMove[]): Promise<void> {
    const { flows, namespaceRecords, renames } = this.#deps;
    for (const [from, to] of moves) {
      const record = await namespaceRecords.get(actor.tenant, to);
      const holds = flows.inNamespace(actor, to).length > 0
        ? "holds flows"
        : await renames.hasContent(actor.tenant, to)
        ? "holds KV pairs, files or secrets"
        : record && !record.isDeleted
        ? "was created"
        : undefined;
      if (holds === undefined) continue;
      throw new DomainError(
        "already_exists",
        `Cannot rename namespace "${from}" to "${to}": that namespace ${holds}; choose another name, or empty and delete it first`,
      );
    }
  }

  /** Refuses what could not be moved. @throws DomainError conflict */
  async #checkContent(tenant: TenantId, moves: readonly NamespaceMove[]): Promise<void> {
    const { flows, secrets } = this.#deps;
    const renamed = new Map(moves);
    for (const [from, to] of moves) {
      const [secret] = await secrets.unreadable(tenant, from);
      if (secret !== undefined) {
        throw illegalState(
          `Cannot rename namespace "${from}": its secret "${secret}" cannot be decrypted; store it again or delete it first`,
        );
      }
      const actor = { tenant, user: "" };
      for (const head of flows.inNamespace(actor, from)) {
        const { source, definition } = await flows.read(actor, head);
        if (renamedRevision({ source, definition }, to, renamed).source !== source) continue;
        throw illegalState(
          `Cannot rename namespace "${from}": the "namespace" of flow "${head.id}" cannot be replaced in its source; write it as a plain text first`,
        );
      }
    }
  }
}

function busy(): DomainError {
  return illegalState("Cannot rename a namespace: another rename is under way; try again when it is done");
}

/**
 * What is copied to a name is deleted with the rest of that name at the end. Possible where the new name is above the old one.
 * @throws DomainError invalid_argument
 */
function checkDisjoint(moves: readonly NamespaceMove[]): void {
  const old = new Map(moves);
  const both = moves.find(([, to]) => old.has(to));
  if (!both) return;
  const [from, to] = moves[0] ?? both;
  throw illegalArgument(
    `namespace "${from}" cannot be renamed to "${to}": "${both[0]}" would become "${
      both[1]
    }", which is renamed itself; rename it over another name`,
  );
}

function checkUnfinished(from: string, { total, ids }: NamespaceUsage["unfinished"]): void {
  if (total === 0) return;
  throw illegalState(
    `Cannot rename namespace "${from}": ${total} executions of its flows have not ended; wait for them or kill them: ${
      ids.join(", ")
    }${total > ids.length ? ", …" : ""}`,
  );
}

function checkReferences(
  { from, isForced = false }: RenameRequest,
  { references, unfinished }: NamespaceUsage,
): void {
  checkUnfinished(from, unfinished);
  const open = references.filter(({ isEdited }) => !isEdited);
  if (isForced || open.length === 0) return;
  const shown = open.slice(0, SHOWN_REFERENCES).map(({ id, line }) =>
    line === undefined ? `"${id}"` : `"${id}" (line ${line})`
  );
  throw illegalState(
    `Cannot rename namespace "${from}": it is referred to by ${shown.join(", ")}${
      open.length > shown.length ? ` and ${open.length - shown.length} more` : ""
    }; change them first, or rename it with "force"`,
  );
}
