/** The state of a source, and what is wrong with it: each problem with its place and the fix that the server suggests. */
import type { Tone } from "../../kit/state_badge.tsx";
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
  const { tone, text } = lookOf(model);
  return (
    <>
      <span class={`state ${tone}`} role="status">{text}</span>
      {model.isChanged && <span class="dim">{t("editor.changed")}</span>}
    </>
  );
}

function lookOf({ source, problems }: EditorModel): { readonly tone: Tone; readonly text: string } {
  // It has no mistakes, but is refused when it is saved.
  if (source.value.trim() === "") return { tone: "idle", text: `○ ${t("editor.empty")}` };
  const errors = problems.value.filter(({ severity }) => severity === "error").length;
  if (errors > 0) return { tone: "bad", text: `✕ ${t("editor.errors", { count: errors })}` };
  const warnings = problems.value.length;
  if (warnings > 0) return { tone: "warn", text: `⚠ ${t("editor.warnings", { count: warnings })}` };
  return { tone: "good", text: `✓ ${t("editor.valid")}` };
}
