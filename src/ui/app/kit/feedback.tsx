/** What a page shows instead of data, and short messages about what was done. */
import { signal } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import type { ApiError } from "../api/client.ts";
import type { Resource } from "../core/resource.ts";
import { t } from "../texts/mod.ts";

/** Grey bars where rows will be. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t("common.loading")}>
      {Array.from({ length: rows }, (_, index) => <span key={index} />)}
    </div>
  );
}

/** Why something could not be loaded, with a way to try again. */
export function ErrorCard({ error, retry }: { readonly error: ApiError; readonly retry?: () => unknown }) {
  return (
    <div class="notice bad" role="alert">
      <strong>{t("error.title")}</strong>{" "}
      <span>{error.status === 0 ? t("error.unreachable") : error.message}</span>
      {retry && <button type="button" onClick={() => void retry()}>{t("common.retry")}</button>}
    </div>
  );
}

/** A list without rows: what it would show, and how to get the first. */
export function EmptyState(
  { title, children }: { readonly title: string; readonly children?: ComponentChildren },
) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children}
    </div>
  );
}

/** The data of a resource; before them bars, and an error beside what was loaded earlier. */
export function Loaded<Data>(
  { resource, rows, children }: {
    readonly resource: Resource<Data>;
    readonly rows?: number;
    readonly children: (data: Data) => ComponentChildren;
  },
) {
  const { data, error, reload } = resource;
  return (
    <>
      {error && <ErrorCard error={error} retry={reload} />}
      {data !== undefined ? children(data) : !error && <Skeleton rows={rows} />}
    </>
  );
}

/** Keeps a failure of one part from taking the page. */
export class Boundary extends Component<{ readonly children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  /** Shows the failure in place of the part. */
  override componentDidCatch(error: unknown): void {
    reportError(error);
    this.setState({ failed: true });
  }

  /** @inheritdoc */
  render() {
    if (!this.state.failed) return this.props.children;
    return <div class="notice bad" role="alert">{t("error.crashed")}</div>;
  }
}

interface Toast {
  readonly id: number;
  readonly tone: "good" | "bad";
  readonly text: string;
  /** Takes back what was done. */
  readonly undo?: () => void;
}

const toasts = signal<readonly Toast[]>([]);
/** Failures have longer texts. */
const TOAST_MS = { good: 6_000, bad: 12_000 };
/** Interval at which a message that was kept is checked again. */
const HELD_TOAST_MS = 2_000;
let lastToast = 0;

/**
 * Shows a message for some seconds. It stays while the pointer or the focus is on a button of a message, so that the button can be
 * pressed. The pointer elsewhere on a message does not keep it, because the message may cover a control of the page.
 */
export function showToast(tone: Toast["tone"], text: string, undo?: () => void): void {
  const id = ++lastToast;
  toasts.value = [...toasts.value, { id, tone, text, undo }];
  dismissLater(id, TOAST_MS[tone]);
}

function dismissLater(id: number, ms: number): void {
  setTimeout(() => {
    if (document.querySelector(".toasts button:is(:hover, :focus)")) dismissLater(id, HELD_TOAST_MS);
    else dismiss(id);
  }, ms);
}

/**
 * Runs an action of a person; says whether it worked. `done` is the message, which may depend on the result. Gives the
 * result, `undefined` after a failure.
 */
export async function attempt<Result>(
  action: () => Promise<Result>,
  done?: string | ((result: Result) => string),
): Promise<Result | undefined> {
  try {
    const result = await action();
    if (done !== undefined) showToast("good", typeof done === "string" ? done : done(result));
    return result;
  } catch (error) {
    showToast("bad", error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** The messages; once a page. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, tone, text, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && <button type="button" onClick={() => (undo(), dismiss(id))}>{t("common.undo")}</button>}
          <button type="button" class="plain" aria-label={t("common.close")} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
