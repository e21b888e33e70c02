/** Ids that earlier responses gave, so that later requests find something. */
import { ID_KINDS, type IdKind } from "./values.ts";

const MAX_IDS = 64;
const PLACEHOLDER = /\{(execution|taskRun|dashboard|apiToken|file)\}/g;
/** Where responses have ids: the name of the operation, and the members with ids of that kind. */
const FOUND: readonly (readonly [kind: IdKind, path: RegExp, pattern: RegExp])[] = [
  ["execution", /\/executions\//, /"id":"([A-Za-z0-9]{16,30})","namespace"/g],
  ["taskRun", /\/executions\//, /"id":"([A-Za-z0-9]{16,30})","executionId"/g],
  ["dashboard", /\/dashboards/, /"id":"([A-Za-z0-9]{8,30})"/g],
  ["apiToken", /\/api-tokens/, /"id":"([A-Za-z0-9]{8,30})"/g],
];
const MAX_SCANNED = 20_000;

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

  /** One of the ids, chosen by a number in [0, 1); an id of that form when there is none. */
  id(kind: IdKind, chance: number): string {
    const ids = this.#ids.get(kind) ?? [];
    return ids[Math.floor(chance * ids.length)] ?? "0123456789ABCDEFGHIJKL";
  }

  /** The text with an id for each placeholder. */
  fill(text: string, chance: () => number): string {
    if (!text.includes("{")) return text;
    return text.replace(PLACEHOLDER, (_whole, kind: string) => {
      const draw = chance();
      if (kind !== "file") return this.id(kind as IdKind, draw);
      return `sluice:///fuzz/a/files/executions/${this.id("execution", draw)}/tasks/write/x.txt`;
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
