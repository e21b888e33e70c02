/** The state of a source, and what is wrong with it: each problem with its place and the fix that the server suggests. */
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

/** Whether the source can be saved, and whether it is. */
export function SourceState({ model }: { readonly model: EditorModel }) {
  const errors = model.problems.value.filter(({ severity }) => severity === "error").length;
  return (
    <>
      <span class={`state ${errors > 0 ? "bad" : "good"}`} role="status">
        {errors > 0 ? `✕ ${t("editor.errors", { count: errors })}` : `✓ ${t("editor.valid")}`}
      </span>
      {model.isChanged && <span class="dim">{t("editor.changed")}</span>}
    </>
  );
}
