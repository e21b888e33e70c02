/**
 * Webhook keys as their expressions render. A rendered key is kept while nothing that it was read from changes: a call of a
 * webhook must not take longer because its key is an expression, which would reveal that the webhook exists.
 */
import type { Clock } from "../../base/time/clock.ts";
import { throwDatabaseFault } from "../../model/errors.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";

/** Counts its writes. */
interface Counted {
  readonly writeCount: number;
}

interface RenderedKeysDeps {
  readonly clock: Clock;
  readonly renderer: TriggerRenderer;
  readonly secrets: Counted;
  readonly kvPairs: Counted;
}

/** A key and the state it was rendered at. */
interface RenderedKey {
  /** Absent if it is empty. */
  readonly key?: string;
  readonly secretWrites: number;
  readonly kvWrites: number;
  readonly untilMs: number;
}

/** A KV pair expires without a write; as long as fetched values serve other renders. */
const KV_KEPT_MS = 1_000;
/** The failure of a render may be temporary. */
const EMPTY_KEPT_MS = 10_000;
/** A key has at most 256 characters. */
const CALL = /([a-zA-Z_]\w*)\s*\(/g;

/** Renders the keys of webhooks. */
export class RenderedKeys {
  readonly #deps: RenderedKeysDeps;
  /** By the trigger of a revision: another revision has other variables and other triggers. */
  readonly #kept = new WeakMap<Trigger, RenderedKey>();

  constructor(deps: RenderedKeysDeps) {
    this.#deps = deps;
  }

  /**
   * The key of a trigger; `undefined` if it is empty or cannot be rendered, so that it matches nothing.
   * @throws DomainError the database cannot be read
   */
  async of(flow: Flow, trigger: Trigger): Promise<string | undefined> {
    const template = String(trigger.properties.key ?? "");
    if (!template.includes("{")) return template.trim();
    const kept = this.#kept.get(trigger);
    if (kept && this.#isCurrent(kept)) return kept.key;
    // Counted before the render: what is written during it is not in the key.
    const { writeCount: secretWrites } = this.#deps.secrets;
    const { writeCount: kvWrites } = this.#deps.kvPairs;
    const rendered = await this.#deps.renderer.text(flow, template, {}).catch(emptyText);
    const key = rendered.trim() || undefined;
    const keptMs = Math.min(keptMsOf(template), key === undefined ? EMPTY_KEPT_MS : Infinity);
    if (keptMs > 0) {
      const untilMs = this.#deps.clock.monotonicMs() + keptMs;
      this.#kept.set(trigger, { key, secretWrites, kvWrites, untilMs });
    }
    return key;
  }

  #isCurrent({ secretWrites, kvWrites, untilMs }: RenderedKey): boolean {
    const { secrets, kvPairs, clock } = this.#deps;
    if (secretWrites !== secrets.writeCount) return false;
    return untilMs === Infinity || (kvWrites === kvPairs.writeCount && clock.monotonicMs() < untilMs);
  }
}

/** The text of what cannot be rendered: nothing equals it. @throws DomainError the database cannot be read */
export function emptyText(error: unknown): string {
  throwDatabaseFault(error);
  return "";
}

/** How long a key may be kept: not at all if the template calls functions whose results change by themselves. */
function keptMsOf(template: string): number {
  const names = new Set([...template.matchAll(CALL)].map(([, name]) => name));
  names.delete("secret");
  const readsKv = names.delete("kv");
  if (names.size > 0) return 0;
  return readsKv ? KV_KEPT_MS : Infinity;
}
