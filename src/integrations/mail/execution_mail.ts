/** The HTML of a mail about an execution. */
import type { ExecutionMessage } from "../notifications/execution_message.ts";

/** HTML without references to other servers but the link to the execution. */
export function executionHtml({ title, text, fields, color, execution }: ExecutionMessage): string {
  const rows = fields.map(({ name, value }) =>
    `<tr><td style="padding:2px 12px 2px 0;color:#555">${escaped(name)}</td><td>${escaped(value)}</td></tr>`
  );
  return [
    `<h2 style="border-left:6px solid #${color};padding-left:10px">${escaped(title)}</h2>`,
    ...text === undefined ? [] : [`<p>${escaped(text).replaceAll("\n", "<br>")}</p>`],
    `<table>${rows.join("")}</table>`,
    ...execution.url === undefined
      ? []
      : [`<p><a href="${escaped(execution.url)}">Open the execution</a></p>`],
  ].join("\n");
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? "");
}
