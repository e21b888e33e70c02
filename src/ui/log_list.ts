/** The log lines of an execution. */
import type { Instant } from "../base/clock.ts";
import type { LogLevel } from "../model/flows/flow.ts";
import { type Html, markup } from "./markup.ts";
import { section } from "./layout.ts";
import { timeTag } from "./time_text.ts";

/** A log line. */
export interface LogView {
  readonly at: Instant;
  readonly level: LogLevel;
  readonly taskId?: string;
  readonly message: string;
}

/** Most lines on a page; the latest ones. */
export const MAX_SHOWN_LINES = 500;

/** The section of the latest log lines of `count`, oldest first; `downloadPath` is the path of the complete log. */
export function logSection(lines: readonly LogView[], count: number, downloadPath: string): Html {
  if (lines.length === 0) return section("Logs", markup`<p class="empty">No log lines.</p>`);
  const shown = lines.slice(-MAX_SHOWN_LINES);
  const hidden = count - shown.length;
  return section(
    "Logs",
    markup`${hidden > 0 && markup`<p class="note">The latest ${shown.length} of ${count} lines.</p>`}
<ol class="log">${shown.map(lineItem)}</ol>`,
    markup`<a href="${downloadPath}">Download</a>`,
  );
}

function lineItem({ at, level, taskId, message }: LogView): Html {
  return markup`<li class="${level.toLowerCase()}">${timeTag(at)}<b>${level}</b><span class="task">${
    taskId ?? ""
  }</span><span class="text">${message}</span></li>`;
}
