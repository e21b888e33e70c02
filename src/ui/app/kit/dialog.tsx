/** Dialogs: a native modal, closed by Escape, and questions before what cannot be undone. */
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts/mod.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons; absent: one that closes it. */
  readonly actions?: ComponentChildren;
  /** Broad, for forms and comparisons. */
  readonly wide?: boolean;
}

/** A modal dialog; it is open while it is rendered. */
export function Dialog({ title, onClose, children, actions, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next frame: keys that are pressed at once are for the dialog, and after it for the page.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would focus the button that closes the dialog.
    element?.querySelector<HTMLElement>(".body :is(input, select, textarea, .input-form)")?.focus();
    // Browsers give back the focus only after a dialog that is closed, not after one that is removed.
    return () => element?.close();
  }, []);
  // The event `close` comes later than the next key, which would then still reach the dialog. The event of a file input in
  // the dialog bubbles.
  const onCancel = (event: Event) => {
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    onClose();
  };
  // It is also sent after the dialog was removed, when another one may be open.
  const onClosed = (event: Event) => {
    if (event.target === event.currentTarget && dialog.current !== null) onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-label={title}
      onCancel={onCancel}
      onClose={onClosed}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label={t("common.close")} onClick={onClose}>×</button>
      </header>
      <div class="body">{children}</div>
      <footer>{actions ?? <button type="button" onClick={onClose}>{t("common.close")}</button>}</footer>
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** Label of the button that confirms. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Has to be typed first. */
  readonly phrase?: string;
}

interface Asked extends Question {
  readonly id: number;
  readonly resolve: (isConfirmed: boolean) => void;
}

/** The first one is shown: another one in its place could be confirmed by mistake. */
const asked = signal<readonly Asked[]>([]);
let lastQuestion = 0;

/** Asks a person, after the questions that wait already; true if they confirm. The same question waits once. */
export function confirmed(question: Question): Promise<boolean> {
  // A double click whose question needs a request first.
  const isAsked = asked.value.some(({ title, phrase }) =>
    title === question.title && phrase === question.phrase
  );
  if (isAsked) return Promise.resolve(false);
  return new Promise((resolve) => {
    asked.value = [...asked.value, { ...question, id: ++lastQuestion, resolve }];
  });
}

/** The question that waits; once a page. */
export function Questions() {
  const [question] = asked.value;
  return question ? <QuestionDialog key={question.id} question={question} /> : null;
}

function QuestionDialog({ question }: { readonly question: Asked }) {
  const typed = useSignal("");
  const close = (isConfirmed: boolean) => {
    asked.value = asked.value.filter((each) => each !== question);
    question.resolve(isConfirmed);
  };
  const isReady = question.phrase === undefined || typed.value.trim() === question.phrase;
  return (
    <Dialog
      title={question.title}
      onClose={() => close(false)}
      actions={
        <>
          <button type="button" onClick={() => close(false)}>{t("common.cancel")}</button>
          <button
            type="button"
            class={question.isDangerous ? "danger" : "primary"}
            disabled={!isReady}
            onClick={() => close(true)}
          >
            {question.action}
          </button>
        </>
      }
    >
      <div>{question.text}</div>
      {question.phrase !== undefined && (
        <label class="field">
          <code>{question.phrase}</code>
          <input value={typed.value} onInput={(event) => typed.value = event.currentTarget.value} />
        </label>
      )}
    </Dialog>
  );
}
