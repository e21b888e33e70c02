/** What this server would do with a flow. */
import { ownProperty } from "../../base/json.ts";
import {
  type Catalogs,
  isDeprecation,
  parseFlowSource,
  validateFlow,
  type ValidateOptions,
} from "../../flow/mod.ts";
import type { Problem } from "../../model/flows/problem.ts";
import { HOST_FUNCTION_NAMES } from "../../rendering/host_functions/mod.ts";
import type { SourceFlow } from "./migration_source.ts";

/** `refused` at save; `differs` with warnings of other kinds than old names, which work. */
export type Verdict = "works" | "differs" | "refused";

/** A flow with what was found. */
export interface CheckedFlow {
  readonly origin: string;
  readonly namespace?: string;
  readonly id?: string;
  readonly verdict: Verdict;
  /** In the order of the source; each says what to do. */
  readonly problems: readonly Problem[];
  /** Names of secrets that its expressions read, sorted. */
  readonly secrets: readonly string[];
  /** As written. */
  readonly source: string;
}

/** A constant first argument of `secret()`. */
const SECRET = /\bsecret\(\s*(?:key\s*=\s*)?(["'])([^"'\\]+)\1/g;

/** Plugin defaults that the flows of a namespace inherit. */
type InheritedOf = (namespace: string) => ValidateOptions["inherited"];

/** Checks one flow as a save does, expressions included. */
export function checkFlow(
  { origin, source = "", problem }: SourceFlow,
  catalogs: Catalogs,
  inheritedOf: InheritedOf,
): CheckedFlow {
  if (problem !== undefined) {
    const problems: Problem[] = [{ code: "unreadable", message: problem, path: "", severity: "error" }];
    return { origin, verdict: "refused", problems, secrets: [], source };
  }
  const parsed = parseFlowSource(source);
  const member = (name: string) => {
    const value = ownProperty(parsed.document ?? {}, name);
    return typeof value === "string" ? value : undefined;
  };
  const problems = validateFlow(parsed, catalogs, {
    expressions: { functions: HOST_FUNCTION_NAMES },
    inherited: inheritedOf(member("namespace") ?? ""),
  });
  return {
    origin,
    namespace: member("namespace"),
    id: member("id"),
    verdict: verdictOf(problems),
    problems: problems.map(({ code, message, path, range, severity }) => ({
      code,
      message,
      path,
      range,
      severity,
    })),
    secrets: secretsOf(source),
    source,
  };
}

function verdictOf(problems: readonly Problem[]): Verdict {
  if (problems.some(({ severity }) => severity === "error")) return "refused";
  return problems.every(isDeprecation) ? "works" : "differs";
}

function secretsOf(source: string): string[] {
  return [...new Set([...source.matchAll(SECRET)].map(([, , name = ""]) => name))].sort();
}
