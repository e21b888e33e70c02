/** Beside the source: a test case of the flow, and what came of its last run. */
import { EditorView } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import type { FlowSource } from "../../api/flow_entities.ts";
import type { Schemas } from "../../api/schemas.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { t } from "../../texts/mod.ts";
import { CodeEditor } from "./code_editor.tsx";
import type { LastRun } from "./last_run.ts";
import { keepTestCase, readTestCase, testPath } from "./test_case.ts";

type Result = Schemas["UnitTestResult"];

interface PanelProps {
  readonly flow: FlowSource;
  readonly run: LastRun;
  /** Stores the flow as it is in the editor; false if that fails. */
  readonly store: () => Promise<boolean>;
}

/** The panel. */
export function TestPanel({ flow, run, store }: PanelProps) {
  const source = useResource(testPath(flow), () => readTestCase(flow, run));
  return <Loaded resource={source}>{(text) => <TestForm flow={flow} text={text} store={store} />}</Loaded>;
}

function TestForm({ flow, text, store }: Omit<PanelProps, "run"> & { readonly text: string }) {
  const source = useSignal(text);
  const isRunning = useSignal(false);
  const result = useSignal<Result | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const follow = EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) keepTestCase(flow, source.value = state.doc.toString());
  });
  const test = async () => {
    if (isRunning.value || !await store()) return;
    isRunning.value = true;
    try {
      const headers = { "content-type": "application/x-yaml" };
      result.value = await send<Result>("POST", testPath(flow), { body: source.value, headers });
      error.value = undefined;
    } catch (refusal) {
      result.value = undefined;
      error.value = refusal instanceof Error ? refusal.message : String(refusal);
    }
    isRunning.value = false;
  };
  // The same keys run the flow elsewhere.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void test();
  };
  return (
    <form
      class="editor-test"
      onKeyDownCapture={onKey}
      onSubmit={(event) => (event.preventDefault(), void test())}
    >
      <CodeEditor source={text} label={t("editor.testCase")} extensions={[follow]} onReady={goTo} />
      <div class="editor-bar">
        <button type="submit" class="primary" disabled={isRunning.value}>
          {t("editor.runTest")} <kbd>Ctrl ↵</kbd>
        </button>
      </div>
      <div aria-live="polite">
        {error.value !== undefined && <p class="notice bad" role="alert">{error.value}</p>}
        {result.value && <ResultView flow={flow} result={result.value} />}
      </div>
    </form>
  );
}

/** On a small page the panel is below the source. */
function goTo(view: EditorView): void {
  view.focus();
  view.dom.scrollIntoView({ block: "nearest" });
}

function ResultView({ flow, result }: { readonly flow: FlowSource; readonly result: Result }) {
  const { executionId, executionState, state, assertionResults, errors } = result;
  return (
    <>
      <p class="run-head">
        <Passed isPassed={state === "SUCCESS" || state === "SKIPPED"} />
        {executionState && <StateBadge state={executionState} />}
        {executionId && (
          <a href={pagePath("executions", flow.namespace, flow.id, executionId)}>{t("editor.openRun")}</a>
        )}
        {errors.map(({ message }) => <span key={message}>{message}</span>)}
      </p>
      <ul class="run-tasks" aria-label={t("editor.assertions")}>
        {assertionResults.map((
          { isSuccess, description, operator, expected, actual, errorMessage },
          index,
        ) => (
          <li key={index}>
            <Passed isPassed={isSuccess} />
            <span>
              {description} <code>{operator} {JSON.stringify(expected)}</code>
              {!isSuccess && ` ${t("editor.actual", { value: JSON.stringify(actual) })}`} {errorMessage}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Passed({ isPassed }: { readonly isPassed: boolean }) {
  return (
    <Outcome
      tone={isPassed ? "good" : "bad"}
      text={t(isPassed ? "editor.passed" : "editor.failed")}
    />
  );
}
