/** An outcome as icon, text and colour, for what has no state of an execution. */
import type { Tone } from "./state_badge.tsx";

const ICONS: Readonly<Record<Tone, string>> = {
  idle: "M4 8h8",
  busy: "M8 4.5V8l2.5 1.5M8 1.75a6.25 6.25 0 1 1 0 12.5 6.25 6.25 0 0 1 0-12.5",
  good: "m4 8.4 2.7 2.7L12 5",
  warn: "M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1",
  bad: "m4.5 4.5 7 7m0-7-7 7",
  held: "M6 4.5v7M10 4.5v7",
};

/** A badge like that of a state. */
export function Outcome({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={ICONS[tone]} />
      </svg>
      {text}
    </span>
  );
}
