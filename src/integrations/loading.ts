/** Loads groups of integrations for the whole process. */
import { INTEGRATION_GROUPS, type IntegrationGroup, type IntegrationTypes } from "./registry.ts";

/** Groups that are loaded once each. */
export class GroupLoader {
  readonly #loaded: IntegrationTypes[] = [];
  readonly #waiting: Map<IntegrationGroup, Promise<void> | undefined>;
  /** A name of a type or of a prefix of types: after a prefix of platforms, or with dots and the name of a class. */
  readonly #name: RegExp;

  constructor(groups: readonly IntegrationGroup[]) {
    this.#waiting = new Map(groups.map((group) => [group, undefined]));
    const prefixes = [...new Set(groups.flatMap(({ prefixes }) => prefixes))].join("|");
    this.#name = new RegExp(
      String.raw`(?:(?:plugin|kestra|svc)\.|(?<![\w./-])(?=[\w.]*\.[A-Z]))(${prefixes})\b`,
      "g",
    );
  }

  /** The types of the groups that are loaded, in the order of loading; the list only grows. */
  get loaded(): readonly IntegrationTypes[] {
    return this.#loaded;
  }

  /**
   * Loads the groups whose types a text names; `undefined` if all of them are loaded. The next call tries a group again that
   * could not be loaded.
   */
  load(text: string): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    const named = new Set([...text.matchAll(this.#name)].map(([, prefix = ""]) => prefix));
    const groups = [...this.#waiting.keys()];
    return this.#loadGroups(groups.filter(({ prefixes }) => prefixes.some((each) => named.has(each))));
  }

  /** Loads all groups; `undefined` if they are loaded. */
  loadAll(): Promise<void> | undefined {
    return this.#loadGroups([...this.#waiting.keys()]);
  }

  #loadGroups(groups: readonly IntegrationGroup[]): Promise<void> | undefined {
    if (groups.length === 0) return undefined;
    return Promise.all(groups.map((group) => this.#loadGroup(group))).then(() => undefined);
  }

  #loadGroup(group: IntegrationGroup): Promise<void> {
    const under = this.#waiting.get(group) ?? this.#import(group);
    this.#waiting.set(group, under);
    return under;
  }

  async #import(group: IntegrationGroup): Promise<void> {
    try {
      this.#loaded.push(await group.load());
      this.#waiting.delete(group);
    } catch (error) {
      this.#waiting.set(group, undefined);
      throw error;
    }
  }
}

const loader = new GroupLoader(INTEGRATION_GROUPS);

/** As {@link GroupLoader.loaded}, of this process. */
export function loadedTypes(): readonly IntegrationTypes[] {
  return loader.loaded;
}

/** As {@link GroupLoader.load}, for this process. */
export function loadTypes(text: string): Promise<void> | undefined {
  return loader.load(text);
}

/** As {@link GroupLoader.loadAll}, for this process. */
export function loadAllTypes(): Promise<void> | undefined {
  return loader.loadAll();
}
