/** The actions on an execution: the likely ones as buttons, all in a menu. */
import { useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import type { ExecutionInfo } from "../../api/execution.ts";
import { isShortcut, useKeydown } from "../../core/keyboard.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { isWithin, navigate } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt } from "../../kit/feedback.tsx";
import type { FormReport } from "../../kit/input_values.ts";
import { Menu } from "../../kit/menu.tsx";
import { t } from "../../texts/mod.ts";
import { LabelsDialog, ResumeDialog, StateDialog } from "./change_dialogs.tsx";
import { EXECUTION_ACTIONS, type ExecutionAction, mainActions, refusalOf } from "./execution_actions.ts";
import { ReplayDialog } from "./replay_dialog.tsx";

interface ActionBarProps {
  readonly execution: ExecutionInfo;
  /** Called after an action. */
  readonly changed: () => Promise<void>;
}

type DialogName = "resume" | "replay" | "changeState" | "labels";

const DANGEROUS: ReadonlySet<ExecutionAction> = new Set(["kill", "delete"]);

/** Buttons, menu, and the dialog of the chosen action. */
export function ActionBar({ execution, changed }: ActionBarProps) {
  const dialog = useSignal<DialogName | undefined>(undefined);
  const isBusy = useSignal(false);
  const refused = (action: ExecutionAction) =>
    refusalOf(action, execution) ?? (isBusy.value ? "execution.why.busy" : undefined);
  const run = async (action: ExecutionAction) => {
    // The second click of a double click would resume the next pause, or restart twice.
    if (refused(action) !== undefined) return;
    isBusy.value = true;
    try {
      await runAction(action, execution, changed, (name) => dialog.value = name);
    } finally {
      isBusy.value = false;
    }
  };
  const buttons = mainActions(execution).filter((action) => refusalOf(action, execution) === undefined);
  useKeydown((event) => {
    if (event.key === "r" && isShortcut(event)) void run("replay");
  });
  const close = () => dialog.value = undefined;
  const props = { execution, changed, onClose: close };
  return (
    <>
      {buttons.map((action, index) => (
        <button
          key={action}
          type="button"
          class={DANGEROUS.has(action) ? "danger" : index === 0 ? "primary" : ""}
          // `disabled` would take the focus from the button.
          aria-disabled={isBusy.value}
          onClick={() => void run(action)}
        >
          {t(`execution.action.${action}`)}
        </button>
      ))}
      <Menu
        title={t("common.actions")}
        items={EXECUTION_ACTIONS.map((action) => {
          const refusal = refused(action);
          return {
            name: action,
            title: t(`execution.action.${action}`),
            refusal: refusal && t(refusal, { state: execution.state.current }),
            isDangerous: DANGEROUS.has(action),
            run: () => run(action),
          };
        })}
      />
      {dialog.value === "resume" && <ResumeDialog {...props} />}
      {dialog.value === "replay" && <ReplayDialog {...props} />}
      {dialog.value === "changeState" && <StateDialog {...props} />}
      {dialog.value === "labels" && <LabelsDialog {...props} />}
    </>
  );
}

async function runAction(
  action: ExecutionAction,
  execution: ExecutionInfo,
  changed: () => Promise<void>,
  open: (dialog: DialogName) => void,
): Promise<void> {
  switch (action) {
    case "replay":
    case "changeState":
    case "labels":
      return open(action);
    case "resume":
      return await needsForm(execution)
        ? open("resume")
        : await post(execution, resumePath(execution), changed);
    case "kill":
      return await askAndSend(execution, "kill", changed);
    case "delete":
      return await askAndDelete(execution);
    case "restart":
    case "pause":
    case "unqueue":
      return await post(execution, action, changed);
    case "forceRun":
      return await post(execution, "force-run", changed);
  }
}

function resumePath({ state }: ExecutionInfo): string {
  return state.current === "BREAKPOINT" ? "resume-from-breakpoint" : "resume";
}

/** True if the pause has inputs. Without a response the form shows why. */
async function needsForm({ id, state }: ExecutionInfo): Promise<boolean> {
  if (state.current === "BREAKPOINT") return false;
  try {
    const path = apiPath("executions", id, "actions", "resume", "validate");
    const { inputs } = await send<FormReport>("POST", path, { body: new FormData() });
    return inputs.length > 0;
  } catch {
    return true;
  }
}

async function post({ id }: ExecutionInfo, action: string, changed: () => Promise<void>): Promise<void> {
  const path = apiPath("executions", id, "actions", action);
  await attempt(() => send("POST", path), t("execution.done"));
  await changed();
}

async function askAndSend(execution: ExecutionInfo, action: "kill", changed: () => Promise<void>) {
  const title = t(`execution.action.${action}`);
  const text = t("execution.confirmKill", { id: execution.id });
  if (await confirmed({ title, text, action: title, isDangerous: true })) {
    await post(execution, action, changed);
  }
}

async function askAndDelete({ id, namespace, flowId }: ExecutionInfo): Promise<void> {
  const title = t("execution.action.delete");
  const text = t("execution.confirmDelete", { id });
  if (!await confirmed({ title, text, action: title, isDangerous: true })) return;
  const deleted = await attempt(async () => {
    await send("DELETE", apiPath("executions", id));
    return true;
  }, t("execution.deleted"));
  // A person who has opened another page meanwhile stays there.
  if (deleted && isWithin("executions", namespace, flowId, id)) navigate(pagePath("executions"));
}
