/** What is wrong with a source, each with its place and the fix that the server suggests. */
import { t } from "../../texts/mod.ts";
import type { EditorModel } from "./editor_state.ts";
import { suggestionOf } from "./problem.ts";

/** The list; following a problem puts the cursor at its place. */
export function ProblemList({ model }: { readonly model: EditorModel }) {
  const problems = model.problems.value;
  if (problems.length === 0) return null;
  return (
    <ul class="editor-problems" aria-label={t("editor.problems")}>
      {problems.map((problem, index) => (
        <li key={index} class={problem.severity === "error" ? "bad" : "warn"}>
          <button type="button" class="plain" onClick={() => model.goToProblem(problem)}>
            <span class="num">{problem.line === undefined ? "" : `${problem.line}:${problem.column} `}</span>
            <strong>{problem.path}</strong> {problem.message}
          </button>
          {suggestionOf(problem) !== undefined && problem.line !== undefined && (
            <button
              type="button"
              onClick={() => model.fix(problem)}
            >
              {t("editor.replaceBy", { text: suggestionOf(problem) ?? "" })}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
