/** Renders and tests the conditions of triggers, whose types are in `triggers/`. */
import type { Instant } from "../base/time/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  setOwnProperty,
} from "../base/json.ts";
import { untimedBudget } from "../languages/regex/mod.ts";
import { isTruthyText } from "../base/text/truthy_text.ts";
import { canonicalType, type Flow, type Trigger } from "../model/flows/flow.ts";
import type {
  ConditionScope,
  ConditionType,
  ObservedExecution,
  TriggerCatalog,
} from "../model/triggers/trigger_catalog.ts";
import type { TriggerRenderer } from "./trigger_renderer.ts";

/** The facts that conditions are tested on. */
interface ConditionFacts {
  readonly flow: Flow;
  /** The date that conditions test. */
  readonly date: Instant;
  /** Zone of that date. */
  readonly timeZone: string;
  /** Root variables, such as `trigger`. */
  readonly variables: JsonObject;
  readonly execution?: ObservedExecution;
}

const CONDITION_LISTS = ["conditions", "scheduleConditions"];
const CONDITION_PROPERTIES = [...CONDITION_LISTS, "when", "preconditions", "dependsOn"];

/** Tests conditions. */
export class Conditions {
  readonly #catalog: TriggerCatalog;
  readonly #renderer: TriggerRenderer;

  constructor(catalog: TriggerCatalog, renderer: TriggerRenderer) {
    this.#catalog = catalog;
    this.#renderer = renderer;
  }

  /** Conditions of a trigger: those decided by one event, and windows, which collect several. */
  declared({ properties }: Trigger): { readonly single: JsonObject[]; readonly windows: JsonObject[] } {
    const all = CONDITION_LISTS.flatMap((name) => objectsOf(ownProperty(properties, name)));
    const isWindow = (condition: JsonObject) => this.#typeOf(condition)?.form === "window";
    return { single: all.filter((each) => !isWindow(each)), windows: all.filter(isWindow) };
  }

  /** True when a trigger may have a condition at all. */
  has({ properties }: Trigger): boolean {
    return CONDITION_PROPERTIES.some((name) => Object.hasOwn(properties, name));
  }

  /** Why `when` or a condition on one event keeps a trigger from firing; `undefined` when all hold. @throws Error a condition cannot be tested */
  async refusal(trigger: Trigger, facts: ConditionFacts): Promise<string | undefined> {
    const when = ownProperty(trigger.properties, "when") ?? null;
    if (when !== null) {
      const text = await this.#renderer.text(facts.flow, String(when), facts.variables);
      if (!isTruthyText(text)) return "`when` is false";
    }
    const scope = this.scope(facts);
    const { single, windows: [window] } = this.declared(trigger);
    if (window && !facts.execution) {
      return `Condition "${nameOf(window)}" is met by executions, which only a Flow trigger reacts to`;
    }
    for (const condition of single) {
      if (!await scope.holds(condition)) return `Condition "${nameOf(condition)}" is false`;
    }
    return undefined;
  }

  /** The scope that condition types test. */
  scope(facts: ConditionFacts): ConditionScope {
    const { flow, date, timeZone, execution, variables } = facts;
    const scope: ConditionScope = {
      patternBudget: untimedBudget(),
      date,
      timeZone,
      flow: { namespace: flow.namespace, id: flow.id },
      execution,
      holds: (condition) => this.#holds(condition, facts, scope),
      text: (template) => this.#renderer.text(flow, template, variables),
    };
    return scope;
  }

  async #holds(condition: JsonValue, facts: ConditionFacts, scope: ConditionScope): Promise<boolean> {
    const type = isJsonObject(condition) ? this.#typeOf(condition) : undefined;
    if (!isJsonObject(condition) || type?.form !== "condition") {
      throw new Error(
        `Cannot test the condition "${isJsonObject(condition) ? nameOf(condition) : condition}"`,
      );
    }
    if (type.isFalse?.(scope)) return false;
    const rendered: JsonObject = {};
    for (const name of Object.keys(condition)) {
      const value = ownProperty(condition, name) ?? null;
      const isDynamic = Object.hasOwn(type.properties, name) && type.properties[name]?.dynamic === true;
      setOwnProperty(
        rendered,
        name,
        isDynamic ? await this.#renderer.value(facts.flow, value, facts.variables) : value,
      );
    }
    return await type.test(rendered, scope);
  }

  #typeOf(condition: JsonObject): ConditionType | undefined {
    return this.#catalog.findCondition(canonicalType(String(ownProperty(condition, "type") ?? "")));
  }
}

function nameOf(condition: JsonObject): string {
  return canonicalType(String(ownProperty(condition, "type") ?? "")).split(".").at(-1) ?? "";
}
