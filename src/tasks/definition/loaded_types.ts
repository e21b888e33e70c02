/** The types of integrations that are loaded, as types of catalogs. */
import { loadedTypes } from "../../integrations/loading.ts";
import type { IntegrationTypes } from "../../integrations/registry.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import type { PartType } from "../../model/tasks/task_catalog.ts";

/** Types of one kind. */
export class LoadedTypes<T extends TypeDeclaration> {
  readonly #convert: (types: IntegrationTypes) => readonly T[];
  readonly #types: T[] = [];
  readonly #byName = new Map<string, T>();
  #groups = 0;

  /** `convert`: the types of a group. */
  constructor(convert: (types: IntegrationTypes) => readonly T[]) {
    this.#convert = convert;
  }

  /** By canonical name or alias. */
  find(kind: string): T | undefined {
    this.#refresh();
    return this.#byName.get(kind);
  }

  /** In the order of loading. */
  list(): readonly T[] {
    this.#refresh();
    return this.#types;
  }

  #refresh(): void {
    const groups = loadedTypes();
    while (this.#groups < groups.length) {
      for (const type of this.#convert(groups[this.#groups++] as IntegrationTypes)) {
        this.#types.push(type);
        for (const name of [type.type, ...type.aliases]) this.#byName.set(name, type);
      }
    }
  }
}

/** The types of objects within properties of tasks. */
export const LOADED_PARTS: LoadedTypes<PartType> = new LoadedTypes<PartType>(({ parts = [] }) => parts);
