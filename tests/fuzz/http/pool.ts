/** Ids that earlier responses gave, so that later requests find something. */
import { ID_KINDS, type IdKind } from "./values.ts";

const MAX_IDS = 64;
const PLACEHOLDER = /\{(execution|taskRun|dashboard|apiToken|file)\}/g;
/** Where responses have ids: the name of the operation, and the members with ids of that kind. */
const FOUND: readonly (readonly [kind: IdKind, path: RegExp, pattern: RegExp])[] = [
  ["execution", /\/executions\//, /"id":"([A-Za-z0-9]{16,30})","tenantId"/g],
  ["file", /\/executions\//, /"uri":"([a-z]+:\/\/\/[^"]+)"/g],
  ["dashboard", /\/dashboards/, /"id":"([A-Za-z0-9]{8,30})"/g],
  ["apiToken", /\/api-tokens/, /"id":"([A-Za-z0-9]{8,30})"/g],
];
const MAX_SCANNED = 20_000;
const FILE_OWNER = /\/executions\/(\w+)\//;
/** The id of the first task run begins with so many characters of the id of its execution. */
const EXECUTION_PREFIX = 16;

/** The latest ids of each kind. */
export class IdPool {
  readonly #ids = new Map<IdKind, string[]>(ID_KINDS.map((kind) => [kind, []]));

  /** Takes the ids of a response. */
  learn(path: string, body: string): void {
    for (const [kind, place, pattern] of FOUND) {
      if (!place.test(path)) continue;
      for (const [, id = ""] of body.slice(0, MAX_SCANNED).matchAll(pattern)) this.#add(kind, id);
    }
  }

  /** One of the ids, chosen by a number in [0, 1); an id of that form if no id is known. */
  id(kind: IdKind, chance: number): string {
    const ids = this.#ids.get(kind) ?? [];
    return ids[Math.floor(chance * ids.length)] ?? "0123456789ABCDEFGHIJKL";
  }

  /**
   * The text with an id for each placeholder, all chosen by one number in [0, 1): a task run belongs to the execution, and
   * the execution has the file that is named.
   */
  fill(text: string, chance: number): string {
    if (!text.includes("{")) return text;
    const file = this.id("file", chance);
    const owner = text.includes("{file}") ? FILE_OWNER.exec(file)?.[1] : undefined;
    const execution = owner ?? this.id("execution", chance);
    return text.replace(PLACEHOLDER, (_whole, kind: string) => {
      if (kind === "execution") return execution;
      if (kind === "taskRun") return `${execution.slice(0, EXECUTION_PREFIX)}000001`;
      return kind === "file" ? encodeURIComponent(file) : this.id(kind as IdKind, chance);
    });
  }

  /** All ids, by kind. */
  snapshot(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#ids].map(([kind, ids]) => [kind, [...ids]]));
  }

  #add(kind: IdKind, id: string): void {
    const ids = this.#ids.get(kind);
    if (!ids || ids.includes(id)) return;
    ids.push(id);
    if (ids.length > MAX_IDS) ids.shift();
  }
}
