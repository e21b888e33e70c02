/** The outputs of the flow and of its tasks as trees, with files; an expression can be evaluated against them. */
import { useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import type { ExecutionInfo, JsonRecord, TaskRunInfo } from "../../api/execution.ts";
import { May } from "../../core/access.ts";
import { apiPath } from "../../core/places.ts";
import { query, setQuery } from "../../core/router.ts";
import { EmptyState } from "../../kit/feedback.tsx";
import { FileLink, isFileUri } from "../../kit/file_preview.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { memberPath, ValueTree } from "../../kit/value_tree.tsx";
import { t } from "../../texts/mod.ts";
import { taskRunTitle } from "./failure.ts";

/** Task runs in the list; a text narrows it. */
const MAX_LISTED = 200;

/** The tab. */
export function ExecutionOutputs({ execution }: { readonly execution: ExecutionInfo }) {
  const { taskRunList = [], outputs } = execution;
  const withOutputs = taskRunList.filter((taskRun) => hasMembers(taskRun.outputs));
  const chosen = query.value.get("task") ?? (hasMembers(outputs) ? "" : withOutputs[0]?.id ?? "");
  const taskRun = taskRunList.find(({ id }) => id === chosen);
  return (
    <div class="outputs">
      <OutputList execution={execution} taskRuns={withOutputs} chosen={chosen} />
      <div class="stack">
        <section class="card">
          <h2>{taskRun ? taskRunTitle(taskRun) : t("execution.flowOutputs")}</h2>
          <Values execution={execution} taskRun={taskRun} />
        </section>
        <May>
          <Evaluation execution={execution} taskRun={taskRun} />
        </May>
      </div>
    </div>
  );
}

function hasMembers(value: JsonRecord | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}

function OutputList({ execution, taskRuns, chosen }: {
  readonly execution: ExecutionInfo;
  readonly taskRuns: readonly TaskRunInfo[];
  readonly chosen: string;
}) {
  const text = useSignal("");
  const wanted = text.value.toLowerCase();
  const matching = taskRuns.filter((taskRun) => taskRunTitle(taskRun).toLowerCase().includes(wanted));
  return (
    <nav class="card output-list" aria-label={t("execution.outputs")}>
      {taskRuns.length > 10 && (
        <input
          type="search"
          aria-label={t("common.search")}
          placeholder={t("common.search")}
          value={text.value}
          onInput={(event) => text.value = event.currentTarget.value}
        />
      )}
      {hasMembers(execution.outputs) && (
        <button
          type="button"
          class="plain"
          aria-current={chosen === ""}
          onClick={() => setQuery({ task: undefined })}
        >
          {t("execution.flowOutputs")}
        </button>
      )}
      {matching.slice(0, MAX_LISTED).map((taskRun) => (
        <button
          key={taskRun.id}
          type="button"
          class="plain"
          aria-current={chosen === taskRun.id}
          onClick={() => setQuery({ task: taskRun.id })}
        >
          <span>{taskRunTitle(taskRun)}</span>
          <StateBadge state={taskRun.state.current} />
        </button>
      ))}
      {matching.length > MAX_LISTED && (
        <p class="dim">{t("execution.narrow", { count: matching.length - MAX_LISTED })}</p>
      )}
      {taskRuns.length === 0 && <p class="dim">{t("execution.noOutputs")}</p>}
    </nav>
  );
}

function Values({ execution, taskRun }: {
  readonly execution: ExecutionInfo;
  readonly taskRun: TaskRunInfo | undefined;
}) {
  const value = taskRun ? taskRun.outputs : execution.outputs;
  if (!hasMembers(value)) {
    return <EmptyState title={t("execution.noOutputs")}>{t("execution.noOutputsHint")}</EmptyState>;
  }
  const path = taskRun ? outputsPath(taskRun) : "outputs";
  const special = (text: string) =>
    isFileUri(text) ? <FileLink executionId={execution.id} uri={text} /> : undefined;
  return <ValueTree key={path} value={value} path={path} special={special} openLevels={3} />;
}

/** Outputs of a task in a loop are read by its value. */
function outputsPath({ taskId, value }: TaskRunInfo): string {
  const path = memberPath("outputs", taskId);
  return value === undefined ? path : memberPath(path, value);
}

interface EvaluationResult {
  readonly result?: string;
  readonly error?: string;
}

function Evaluation({ execution, taskRun }: {
  readonly execution: ExecutionInfo;
  readonly taskRun: TaskRunInfo | undefined;
}) {
  const text = useSignal(taskRun ? `{{ ${outputsPath(taskRun)} }}` : "{{ outputs }}");
  const result = useSignal<EvaluationResult | undefined>(undefined);
  const evaluate = async () => {
    const path = apiPath("executions", execution.id, "actions", "eval");
    try {
      result.value = await send("POST", path, { query: { taskRunId: taskRun?.id }, body: text.value });
    } catch (error) {
      result.value = { error: error instanceof Error ? error.message : String(error) };
    }
  };
  return (
    <section class="card evaluation">
      <h2>
        <label for="expression">{t("execution.expression")}</label>
      </h2>
      <p class="dim">{t("execution.expressionHint")}</p>
      <textarea
        id="expression"
        class="mono"
        rows={3}
        spellcheck={false}
        value={text.value}
        onInput={(event) => text.value = event.currentTarget.value}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void evaluate();
        }}
      />
      <p>
        <button type="button" class="primary" onClick={() => void evaluate()}>
          {t("execution.evaluate")}
        </button>
      </p>
      <div role="status">
        {result.value?.error !== undefined && <p class="notice bad">{result.value.error}</p>}
        {result.value?.result !== undefined && (
          <pre class="preview" tabIndex={0}>{indented(result.value.result)}</pre>
        )}
      </div>
    </section>
  );
}

function indented(text: string): string {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text; // The result is a text that is not JSON.
  }
}
