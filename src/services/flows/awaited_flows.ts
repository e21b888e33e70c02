/** The flows that a Flow trigger waits for, as far as its properties tell without an execution. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { canonicalType, type FlowKey } from "../../model/flows/flow.ts";
import { FIELD_COMPARISONS } from "../../model/triggers/field_comparisons.ts";
import { ANY_FLOW, flowPattern, narrowest } from "../../model/triggers/flow_patterns.ts";

/** A flow, or the flows of a namespace. */
export interface FlowPattern {
  readonly namespace?: string;
  /** How `namespace` is compared. */
  readonly comparison: "EQUALS" | "PREFIX" | "SUFFIX";
  readonly flowId?: string;
}

/** A comparison of a filter of preconditions. */
interface FieldPattern {
  readonly field: "id" | "namespace";
  readonly type: string;
  readonly value: string;
  readonly values: readonly string[];
}

/** What a trigger demands of the flow of an execution; an empty `any` where more than the flow decides. */
export type AwaitedFlows =
  | FlowPattern
  | FieldPattern
  | { readonly all: readonly AwaitedFlows[] }
  | { readonly any: readonly AwaitedFlows[] }
  | { readonly none: readonly AwaitedFlows[] };

const UNKNOWN: AwaitedFlows = Object.freeze({ any: [] });
const COMPARISONS = ["EQUALS", "PREFIX", "SUFFIX"] as const;
const FIELDS: ReadonlyMap<string, FieldPattern["field"]> = new Map([["FLOW_ID", "id"], [
  "NAMESPACE",
  "namespace",
]]);
/** Comparisons that name flows. `REGEX` is left out: each flow of the tenant would be compared with it. */
const NAMING: ReadonlySet<string> = new Set(["EQUAL_TO", "IN", "STARTS_WITH", "ENDS_WITH", "CONTAINS"]);
const EXCLUDING: ReadonlySet<string> = new Set(["NOT_EQUAL_TO", "NOT_IN"]);

/** What a Flow trigger with these properties demands. */
export function awaitedBy(properties: JsonObject): AwaitedFlows {
  const given = ownProperty(properties, "preconditions");
  const preconditions = isJsonObject(given) ? given : {};
  const parts = [
    ...objectsOf(ownProperty(preconditions, "flows")).map(awaitedFlow),
    ...objectsOf(ownProperty(preconditions, "where")).map(awaitedByFilter),
  ];
  const dependencies = objectsOf(ownProperty(properties, "dependsOn")).map(awaitedFlow);
  const conditions = objectsIn(ownProperty(properties, "conditions")).map(awaitedByCondition);
  return { all: [{ any: parts }, { any: dependencies }, ...conditions] };
}

/** True if an execution of the flow can fire the trigger. One that names no flow waits for all: that is no dependency. */
export function isAwaited(flow: FlowKey, awaited: AwaitedFlows): boolean {
  return isDemanded(flow, awaited) === true;
}

/** Patterns that match each flow of which an execution can fire the trigger: a caller need not compare the others. */
export function awaitedPatterns(awaited: AwaitedFlows): readonly string[] {
  if ("any" in awaited) return awaited.any.flatMap(awaitedPatterns);
  if ("none" in awaited) return [];
  if ("field" in awaited) return fieldPatterns(awaited);
  if (!("all" in awaited)) {
    return [flowPattern({ namespace: awaited.namespace, id: awaited.flowId }, awaited.comparison)];
  }
  const [all, decisive] = [awaited.all, awaited.all.filter(isDecisive)];
  return narrowest([all.flatMap(awaitedPatterns), ...decisive.map(awaitedPatterns)]);
}

/** True if a flow must match this part: a match of another part alone does not fire the trigger. */
function isDecisive(awaited: AwaitedFlows): boolean {
  if ("all" in awaited) return awaited.all.some(isDecisive);
  if ("any" in awaited) return awaited.any.length > 0 && awaited.any.every(isDecisive);
  return !("none" in awaited) && !("field" in awaited && EXCLUDING.has(awaited.type));
}

function fieldPatterns({ field, type, value, values }: FieldPattern): readonly string[] {
  if (EXCLUDING.has(type)) return [];
  if (type === "EQUAL_TO") return [flowPattern({ [field]: value })];
  if (type === "IN") return values.map((each) => flowPattern({ [field]: each }));
  if (field === "id") return [ANY_FLOW];
  if (type === "STARTS_WITH") return [flowPattern({ namespace: value }, "PREFIX")];
  return [type === "ENDS_WITH" ? flowPattern({ namespace: value }, "SUFFIX") : ANY_FLOW];
}

/** The parts that demand a namespace, but for those that have one of `names` as their member `namespace`. */
export function namespacePatternsIn(awaited: AwaitedFlows, names: readonly string[]): AwaitedFlows[] {
  const patternsIn = (part: AwaitedFlows) => namespacePatternsIn(part, names);
  if ("all" in awaited) return awaited.all.flatMap(patternsIn);
  if ("any" in awaited) return awaited.any.flatMap(patternsIn);
  if ("none" in awaited) return [];
  if ("field" in awaited) return awaited.field === "namespace" ? [awaited] : [];
  return awaited.namespace !== undefined && !names.includes(awaited.namespace) ? [awaited] : [];
}

/** False for a flow whose executions cannot fire the trigger; `undefined` if this part of it does not name the flow. */
function isDemanded(flow: FlowKey, awaited: AwaitedFlows): boolean | undefined {
  if ("all" in awaited) return areAllDemanded(flow, awaited.all);
  if ("any" in awaited) return isAnyDemanded(flow, awaited.any);
  if ("none" in awaited) return isAnyDemanded(flow, awaited.none) ? false : undefined;
  if (!("field" in awaited)) return isNamed(flow, awaited);
  const isTrue = FIELD_COMPARISONS.get(awaited.type)?.(flow[awaited.field], awaited) ?? false;
  return isTrue && EXCLUDING.has(awaited.type) ? undefined : isTrue;
}

function areAllDemanded(flow: FlowKey, parts: readonly AwaitedFlows[]): boolean | undefined {
  let answer: true | undefined;
  for (const part of parts) {
    const ofPart = isDemanded(flow, part);
    if (ofPart === false) return false;
    answer ||= ofPart;
  }
  return answer;
}

function isAnyDemanded(flow: FlowKey, alternatives: readonly AwaitedFlows[]): boolean | undefined {
  let answer: false | undefined = alternatives.length === 0 ? undefined : false;
  for (const each of alternatives) {
    const ofEach = isDemanded(flow, each);
    if (ofEach) return true;
    answer = answer === false ? ofEach : undefined;
  }
  return answer;
}

function isNamed({ namespace, id }: FlowKey, pattern: FlowPattern): boolean {
  if (pattern.flowId !== undefined && pattern.flowId !== id) return false;
  if (pattern.namespace === undefined) return true;
  switch (pattern.comparison) {
    case "PREFIX":
      return namespace.startsWith(pattern.namespace);
    case "SUFFIX":
      return namespace.endsWith(pattern.namespace);
    case "EQUALS":
      return namespace === pattern.namespace;
  }
}

function awaitedByCondition(condition: JsonObject): AwaitedFlows {
  const name = canonicalType(literalOf(condition, "type") ?? "").replace(/Condition$/, "").split(".").at(-1);
  if (name === "ExecutionFlow" || name === "ExecutionNamespace") return awaitedFlow(condition);
  const nested = objectsIn(ownProperty(condition, "conditions")).map(awaitedByCondition);
  return name === "Not" ? { none: nested } : { any: nested };
}

function awaitedFlow(entry: JsonObject): AwaitedFlows {
  const namespace = literalOf(entry, "namespace"), flowId = literalOf(entry, "flowId");
  if (namespace === undefined && flowId === undefined) return UNKNOWN;
  const written = literalOf(entry, "comparison") ??
    (ownProperty(entry, "prefix") === true ? "PREFIX" : "EQUALS");
  const comparison = COMPARISONS.find((candidate) => candidate === written) ?? "EQUALS";
  return { namespace, flowId, comparison };
}

function awaitedByFilter(filter: JsonObject): AwaitedFlows {
  const comparisons = objectsOf(ownProperty(filter, "filters")).map(awaitedByComparison);
  return literalOf(filter, "operand") === "OR" ? { any: comparisons } : { all: comparisons };
}

function awaitedByComparison(comparison: JsonObject): AwaitedFlows {
  const field = FIELDS.get(literalOf(comparison, "field") ?? ""), type = literalOf(comparison, "type") ?? "";
  if (!field || !NAMING.has(type) && !EXCLUDING.has(type)) return UNKNOWN;
  const list = ownProperty(comparison, "values");
  const given = Array.isArray(list) ? list : [ownProperty(comparison, "value") ?? null];
  const texts = given.map(literalText).filter((text) => text !== undefined);
  return texts.length === given.length ? { field, type, value: texts[0] ?? "", values: texts } : UNKNOWN;
}

/** The objects of a list, or of a map. */
function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return objectsOf(isJsonObject(value) ? Object.values(value) : value);
}

/** The text of a property; `undefined` for any other value and for an expression. */
export function literalOf(properties: JsonObject, name: string): string | undefined {
  return literalText(ownProperty(properties, name));
}

function literalText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && !value.includes("{{") ? value : undefined;
}
