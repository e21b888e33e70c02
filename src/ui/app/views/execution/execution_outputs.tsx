/** The outputs of the flow and of its tasks as trees, with files; an expression can be evaluated against them. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { send } from "../../api/client.ts";
import type { ExecutionInfo, JsonRecord, TaskRunInfo } from "../../api/execution.ts";
import { May } from "../../core/access.ts";
import { apiPath } from "../../core/places.ts";
import { query, setQuery } from "../../core/router.ts";
import { EmptyState } from "../../kit/feedback.tsx";
import { FileLink, isFileUri } from "../../kit/file_preview.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { ValueTree } from "../../kit/value_tree.tsx";
import { t } from "../../texts/mod.ts";
import { loopValues, outputsPath, titleInLoops } from "./failure.ts";

/** Task runs in the list; a text narrows it. */
const MAX_LISTED = 200;

/** The tab. */
export function ExecutionOutputs({ execution }: { readonly execution: ExecutionInfo }) {
  const { taskRunList = [], outputs } = execution;
  const withOutputs = taskRunList.filter((taskRun) => hasMembers(taskRun.outputs));
  const chosen = query.value.get("task") ?? (hasMembers(outputs) ? "" : withOutputs[0]?.id ?? "");
  const taskRun = taskRunList.find(({ id }) => id === chosen);
  const valuesOf = useMemo(() => loopValues(taskRunList), [execution]);
  const titleOf = (each: TaskRunInfo) => titleInLoops(each.taskId, valuesOf(each));
  const path = taskRun ? outputsPath(taskRun.taskId, valuesOf(taskRun)) : "outputs";
  return (
    <div class="outputs">
      <OutputList execution={execution} taskRuns={withOutputs} titleOf={titleOf} chosen={chosen} />
      <div class="stack">
        <section class="card">
          <h2>{taskRun ? titleOf(taskRun) : t("execution.flowOutputs")}</h2>
          <Values execution={execution} taskRun={taskRun} path={path} />
        </section>
        <May>
          <Evaluation executionId={execution.id} taskRunId={taskRun?.id} path={path} />
        </May>
      </div>
    </div>
  );
}

function hasMembers(value: JsonRecord | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}

function OutputList({ execution, taskRuns, titleOf, chosen }: {
  readonly execution: ExecutionInfo;
  readonly taskRuns: readonly TaskRunInfo[];
  readonly titleOf: (taskRun: TaskRunInfo) => string;
  readonly chosen: string;
}) {
  const text = useSignal("");
  const wanted = text.value.toLowerCase();
  const matching = taskRuns.filter((taskRun) => titleOf(taskRun).toLowerCase().includes(wanted));
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
          <span>{titleOf(taskRun)}</span>
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

function Values({ execution, taskRun, path }: {
  readonly execution: ExecutionInfo;
  readonly taskRun: TaskRunInfo | undefined;
  readonly path: string;
}) {
  const value = taskRun ? taskRun.outputs : execution.outputs;
  if (!hasMembers(value)) {
    return <EmptyState title={t("execution.noOutputs")}>{t("execution.noOutputsHint")}</EmptyState>;
  }
  const special = (text: string) =>
    isFileUri(text) ? <FileLink executionId={execution.id} uri={text} /> : undefined;
  return <ValueTree key={path} value={value} path={path} special={special} openLevels={3} />;
}

interface EvaluationResult {
  readonly result?: string;
  readonly error?: string;
}

/** What a person has written stays when another task run is chosen; a result belongs to the one it was evaluated for. */
function Evaluation({ executionId, taskRunId, path }: {
  readonly executionId: string;
  readonly taskRunId: string | undefined;
  /** What is suggested to be evaluated. */
  readonly path: string;
}) {
  const suggested = `{{ ${path} }}`;
  const written = useSignal<string | undefined>(undefined);
  const last = useSignal<EvaluationResult & { readonly of?: string } | undefined>(undefined);
  const text = written.value ?? suggested;
  const result = last.value?.of === taskRunId ? last.value : undefined;
  const evaluations = useRef(0);
  const evaluate = async () => {
    const number = ++evaluations.current;
    // An earlier expression may be answered after a later one.
    const show = (found: EvaluationResult) => {
      if (number === evaluations.current) last.value = { ...found, of: taskRunId };
    };
    const evalPath = apiPath("executions", executionId, "actions", "eval");
    try {
      show(await send<EvaluationResult>("POST", evalPath, { query: { taskRunId }, body: text }));
    } catch (error) {
      show({ error: error instanceof Error ? error.message : String(error) });
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
        value={text}
        onInput={({ currentTarget: { value } }) => written.value = value === suggested ? undefined : value}
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
        {result?.error !== undefined && <p class="notice bad">{result.error}</p>}
        {result?.result !== undefined && <pre class="preview" tabIndex={0}>{indented(result.result)}</pre>}
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
