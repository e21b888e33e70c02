/** The editor of a flow: source, problems, graph and documentation; saves and runs. */
import type { EditorView } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FlowSource } from "../../api/flow_entities.ts";
import { may } from "../../core/access.ts";
import { useKeydown } from "../../core/keyboard.ts";
import { guardLeaving, setQuery } from "../../core/router.ts";
import { attempt } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import { completion } from "./code/completion_list.ts";
import { CodeEditor } from "./code_editor.tsx";
import { flowCompletion } from "./completion.ts";
import { ConflictDialog } from "./conflict_dialog.tsx";
import { EditorModel } from "./editor_state.ts";
import { type LastRun, type RunSummary, summaryOf, useLastRun } from "./last_run.ts";
import { ProblemList, SourceState } from "./problem_list.tsx";
import { problemLinter } from "./problems.ts";
import { runMarks } from "./run_marks.ts";
import { FlowSaver, readFlow } from "./save.ts";
import { SidePanel } from "./side_panel.tsx";

interface FlowEditorProps {
  readonly source: string;
  /** The stored flow; absent: the flow is new. */
  readonly flow?: FlowSource;
  /** The latest revision on the server; it may be newer than `flow`. */
  readonly latestRevision?: number;
  readonly onSaved: (flow: FlowSource) => void;
  /** Opens the form that runs a flow, which is stored as it is in the editor; `upTo` is the last task to run. */
  readonly onRun: (flow: FlowSource, upTo?: string) => void;
}

/** The editor. */
export function FlowEditor({ source, flow, latestRevision = 0, onSaved, onRun }: FlowEditorProps) {
  const model = useMemo(() => new EditorModel(source, flow?.revision), []);
  const conflict = useSignal<FlowSource | undefined>(undefined);
  useEffect(() => guardLeaving(() => model.hasLosses ? t("editor.unsaved") : undefined), []);
  const saver = useMemo(() => new FlowSaver(model, flow, (theirs) => conflict.value = theirs), []);
  const saveIt = async () => {
    // Only the first caller calls onSaved, after all joined saves.
    const isJoining = saver.isBusy;
    const stored = await saver.save();
    if (stored && !isJoining) onSaved(stored);
  };
  const storeChanges = () => model.isChanged || saver.isBusy || !flow ? saver.save() : Promise.resolve(flow);
  const run = async (upTo?: string) => {
    const stored = await storeChanges();
    if (stored) onRun(stored, upTo);
  };
  const storeForTest = async () => {
    const stored = await storeChanges();
    if (stored && stored !== flow) onSaved(stored);
    return stored !== undefined;
  };
  const isReadOnly = !may("change");
  useKeys(isReadOnly, saveIt, (isPart) => run(isPart ? model.runnableId.value : undefined));
  const lastRun = useLastRun(flow);
  useEffect(() => model.showRuns(summariesOf(lastRun.data)), [lastRun.data]);
  const compare = async () => conflict.value = flow && await attempt(() => readFlow(flow));
  const isBehind = latestRevision > (model.revision.value ?? latestRevision);
  return (
    <>
      {isBehind && (
        <div class="notice warn" role="status">
          <span>{t("editor.newer", { revision: latestRevision })}</span>
          <button type="button" onClick={() => void compare()}>{t("editor.compare")}</button>
        </div>
      )}
      <div class="editor">
        <div class="editor-main">
          {!isReadOnly && <Bar model={model} save={saveIt} run={run} isStored={flow !== undefined} />}
          <Source key={isReadOnly} model={model} isReadOnly={isReadOnly} />
          <ProblemList model={model} />
        </div>
        <SidePanel model={model} flow={flow} lastRun={lastRun} store={storeForTest} />
      </div>
      {conflict.value && (
        <ConflictDialog
          theirs={conflict.value}
          model={model}
          save={saveIt}
          onClose={() => conflict.value = undefined}
        />
      )}
    </>
  );
}

/** The keys work beside the source, too, where browsers would save the page. */
function useKeys(
  isReadOnly: boolean,
  save: () => Promise<unknown>,
  run: (isPart: boolean) => Promise<unknown>,
): void {
  useKeydown((event) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isWithin = (selector: string) => target instanceof Element && target.closest(selector) !== null;
    if (isReadOnly || !(ctrlKey || metaKey) || isWithin("dialog")) return;
    // Caps Lock makes it "S"; with Shift it is a key of the browser.
    if (key.toLowerCase() === "s" && !shiftKey) void save();
    else if (key === "Enter" && !isWithin(".editor-test")) void run(shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}

function summariesOf(run: LastRun | undefined): ReadonlyMap<string, RunSummary> {
  const all = [...run?.taskRuns ?? []].map(([taskId, taskRuns]) => [taskId, summaryOf(taskRuns)] as const);
  return new Map(all.flatMap(([taskId, summary]) => summary ? [[taskId, summary] as const] : []));
}

interface BarProps {
  readonly model: EditorModel;
  readonly save: () => Promise<unknown>;
  readonly run: (upTo?: string) => Promise<unknown>;
  readonly isStored: boolean;
}

function Bar({ model, save, run, isStored }: BarProps) {
  return (
    <div class="editor-bar" role="toolbar" aria-label={t("common.actions")}>
      <button type="button" class="primary" disabled={!model.isChanged} onClick={() => void save()}>
        {t("common.save")} <kbd>Ctrl S</kbd>
      </button>
      <button type="button" onClick={() => void run()}>
        {t("flows.run")} <kbd>Ctrl ↵</kbd>
      </button>
      {model.runnableId.value !== undefined && (
        <button
          type="button"
          title="Ctrl Shift ↵"
          onClick={() => void run(model.runnableId.value)}
        >
          {t("editor.runUpTo", { task: model.runnableId.value })}
        </button>
      )}
      {isStored && (
        <button type="button" onClick={() => setQuery({ side: "test" })}>{t("editor.side.test")}…</button>
      )}
      <SourceState model={model} />
    </div>
  );
}

function Source({ model, isReadOnly }: { readonly model: EditorModel; readonly isReadOnly: boolean }) {
  const extensions = useMemo(() => [
    model.follow,
    runMarks,
    // What the server stores is valid; hidden keys would be problems.
    ...isReadOnly ? [] : [problemLinter(model.receive), completion(flowCompletion())],
  ], []);
  const connect = (view: EditorView) => {
    model.connect(view);
    if (isReadOnly) model.receive([], model.source.value);
  };
  return (
    <CodeEditor
      source={model.source.value}
      label={t("editor.source")}
      extensions={extensions}
      isReadOnly={isReadOnly}
      onReady={connect}
    />
  );
}
