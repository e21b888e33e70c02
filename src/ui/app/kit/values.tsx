/** Small pieces that show one value. */
import { computed } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { preferences } from "../core/preferences.ts";
import { dateTimeText, durationText, now, relativeText } from "../core/time.ts";
import { t } from "../texts/mod.ts";

/** An instant, as the person prefers it; the whole date and time is its title. */
export function Time({ at }: { readonly at: string | undefined | null }) {
  // A signal as the text: each second texts are compared, and nothing is rendered while they stay the same.
  const text = useMemo(() => computed(() => at ? instantText(at) : ""), [at]);
  if (!at) return <span class="dim">–</span>;
  return <time dateTime={at} title={dateTimeText(at)}>{text}</time>;
}

function instantText(at: string): string {
  return preferences.value.dateFormat === "relative" ? relativeText(at) : dateTimeText(at);
}

interface DurationProps {
  /** ISO text. */
  readonly from: string | undefined;
  /** Absent: it has not ended, and the text advances. */
  readonly to?: string;
}

/** The time between two instants. */
export function Duration({ from, to }: DurationProps) {
  if (!from) return <span class="dim">–</span>;
  const end = to === undefined ? now.value : Date.parse(to);
  return <span class="num">{durationText((end - Date.parse(from)) / 1_000)}</span>;
}

/** A label; following it adds it to the filters. */
export function Label({ name, value, href }: {
  readonly name: string;
  readonly value: string;
  readonly href?: string;
}) {
  const text = `${name}: ${value}`;
  return href === undefined ? <span class="label">{text}</span> : <a class="label" href={href}>{text}</a>;
}

/** Copies a text; says so for a moment. */
export function CopyButton({ text, title }: { readonly text: string; readonly title?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (event: { readonly currentTarget: HTMLElement }) =>
    void copyText(text, event.currentTarget).then(() => setCopied(true));
  return (
    <button type="button" class="plain copy" title={title ?? t("common.copy")} onClick={copy}>
      {isCopied ? t("common.copied") : title ?? t("common.copy")}
    </button>
  );
}

/** Browsers give a clipboard to pages of this machine and by https only. The field stays in the dialog of its button, which keeps the focus. */
async function copyText(text: string, button: HTMLElement): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  button.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  button.focus();
}

/** A text with its parts between backticks as code. */
export function CodeText({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => index % 2 === 1 ? <code key={index}>{part}</code> : part)}</>;
}
