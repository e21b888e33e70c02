/** What is wrong with a source, as the server sees it, with a fix where it names what was meant. */
import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension, Text } from "@codemirror/state";
import { send } from "../../api/client.ts";
import { t } from "../../texts/mod.ts";
import { type Problem, rangeOf, suggestionOf } from "./problem.ts";

const PAUSE_MS = 250;

/** Validates after each pause of typing; `onProblems` gets what was found in which source. */
export function problemLinter(
  onProblems: (problems: readonly Problem[], source: string) => void,
  check: (source: string) => Promise<readonly Problem[]> = checkFlows,
): Extension {
  return linter(async ({ state }) => {
    const source = state.doc.toString();
    const problems = await validate(source, check);
    onProblems(problems, source);
    return problems.map((problem) => diagnosticOf(problem, state.doc));
  }, { delay: PAUSE_MS });
}

async function checkFlows(body: string): Promise<readonly Problem[]> {
  const headers = { "content-type": "application/x-yaml" };
  const checks = await send<{ problems?: Problem[] }[]>("POST", "/flows/validate", { body, headers });
  return checks.flatMap(({ problems = [] }) => problems);
}

/** The problems of a source; one that says so if the server cannot be reached. */
export async function validate(source: string, check = checkFlows): Promise<readonly Problem[]> {
  if (source.trim() === "") return [];
  try {
    return await check(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ path: "", message, severity: "warning" }];
  }
}

function diagnosticOf(problem: Problem, doc: Text): Diagnostic {
  const suggestion = suggestionOf(problem);
  const { from, to } = rangeOf(problem, doc);
  // A required property that is missing has the whole entry as its place: its first line is enough.
  const end = Math.min(to, doc.lineAt(from).to);
  return {
    from,
    to: Math.max(end, from),
    severity: problem.severity === "error" ? "error" : problem.severity === "warning" ? "warning" : "info",
    message: problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`,
    actions: suggestion === undefined ? [] : [{
      name: t("editor.replaceBy", { text: suggestion }),
      apply: (view, start, stop) => view.dispatch({ changes: { from: start, to: stop, insert: suggestion } }),
    }],
  };
}
