/** The requests of a run by number: the same seed and number give the same request, but for the ids it names. */
import type { Chance } from "../../crash/chance.ts";
import { chanceAt } from "../seeds.ts";
import { brokenRequest } from "./broken_http.ts";
import type { DescribedOperation, Description } from "./description.ts";
import type { FuzzRequest, HeaderLine } from "./message.ts";
import { mutateRequest } from "./mutate_request.ts";
import type { IdPool } from "./pool.ts";
import { BODIES } from "./recorded.ts";
import { filterParameters, ODD_TEXTS, pathValues, usualValues } from "./values.ts";

const INTACT_SHARE = 0.2;
const BROKEN_SHARE = 0.02;
const ANONYMOUS_SHARE = 0.02;
/** Long responses that are always the same. */
const RARE = /^GET \/(openapi|swagger|plugins)/;
const RARE_SHARE = 0.1;
/** What a run must not do: it would end its own access, or the data of everybody. */
const FORBIDDEN: ReadonlySet<string> = new Set(["DELETE /me/api-tokens/{id}"]);
const PAGES = [
  "/ui/",
  "/ui",
  "/ui/assets/x.js",
  "/ui/executions/fuzz.a/plain/{execution}",
  "/ui/main/executions/fuzz.a/plain/{execution}/logs",
  "/",
  "/nothing",
];
const PAGE_SHARE = 0.02;
const encoder = new TextEncoder();

/** What requests are made from. */
export interface Generator {
  readonly description: Description;
  readonly pool: IdPool;
  readonly seed: number;
  /** Headers of every request that is not anonymous. */
  readonly authorization?: string;
}

/** The request of that number. */
export function requestAt(generator: Generator, index: number): FuzzRequest {
  const chance = chanceAt("http", generator.seed, index);
  const intact = chance.holds(PAGE_SHARE)
    ? pageRequest(generator, chance)
    : describedRequest(generator, chance);
  if (chance.holds(INTACT_SHARE)) return intact;
  if (chance.holds(BROKEN_SHARE)) return brokenRequest(intact, chance);
  return mutateRequest(intact, chance);
}

function pageRequest(generator: Generator, chance: Chance): FuzzRequest {
  const target = generator.pool.fill(chance.pick(PAGES) ?? "/", chance.next());
  return { method: "GET", target, headers: commonHeaders(generator, chance) };
}

function describedRequest(generator: Generator, chance: Chance): FuzzRequest {
  const operation = pickOperation(generator.description.operations, chance);
  const { pool } = generator;
  const draw = chance.next();
  const target = pathOf(operation, chance) + queryOf(operation, chance);
  const headers = [...commonHeaders(generator, chance), ...operationHeaders(operation, chance)];
  const [type, body] = chance.pick(BODIES.get(operation.key) ?? []) ?? [];
  const filled = typeof body === "string" ? encoder.encode(pool.fill(body, draw)) : body;
  return {
    method: operation.method,
    target: pool.fill(target, draw),
    headers: type === undefined ? headers : [...headers, ["content-type", type]],
    ...(filled && { body: filled }),
  };
}

function pickOperation(operations: readonly DescribedOperation[], chance: Chance): DescribedOperation {
  for (;;) {
    const operation = chance.pick(operations);
    if (!operation) throw new Error("Cannot fuzz: the description has no operations");
    const isRare = RARE.test(operation.key);
    if (!FORBIDDEN.has(operation.key) && (!isRare || chance.holds(RARE_SHARE))) return operation;
  }
}

function commonHeaders({ authorization }: Generator, chance: Chance): HeaderLine[] {
  const isAnonymous = chance.holds(ANONYMOUS_SHARE);
  return [
    ["host", "127.0.0.1"],
    ...(authorization === undefined || isAnonymous ? [] : [["authorization", authorization] as const]),
  ];
}

function pathOf({ segments, template }: DescribedOperation, chance: Chance): string {
  return segments.map((segment, index) => {
    const [, name] = /^\{(.+)\}$/.exec(segment) ?? [];
    if (name === undefined) return segment;
    return chance.pick(pathValues(name, segments[index - 1] ?? "", template)) ?? "";
  }).join("/");
}

/** Some of the parameters, with usual values or, seldom, odd ones. */
function queryOf({ query, key }: DescribedOperation, chance: Chance): string {
  const pairs = query.flatMap((name): string[] => {
    // What waits for the end of an execution has a reason to take long.
    if (name === "wait" || !chance.holds(3 / (query.length + 2))) return [];
    if (name === "filters") return [filterOf(chance)];
    const values = chance.holds(0.1) ? ODD_TEXTS : usualValues(name);
    const value = chance.pick(values) ?? "";
    return [`${name}=${value.startsWith("{") ? value : encodeValue(value)}`];
  });
  // A change of everything would leave nothing for the requests after it.
  if (/^(DELETE|POST) .*by-query/.test(key) && pairs.length === 0) pairs.push("flowId=created");
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function filterOf(chance: Chance): string {
  const [name, value] = chance.pick(filterParameters()) ?? ["", ""];
  return `${name}=${encodeValue(value)}`;
}

function encodeValue(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

function operationHeaders({ headers }: DescribedOperation, chance: Chance): HeaderLine[] {
  return headers.filter(() => chance.holds(0.3)).map((name) =>
    [name.toLowerCase(), chance.pick(usualValues(name)) ?? ""] as const
  );
}
