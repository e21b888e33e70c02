/** What the editor of flows completes, in a browser. */
import { assert } from "@std/assert";
import { type Page, stories } from "../../support/browser/browser.ts";
import { fileForm, json } from "../../support/flows/request_bodies.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { goBehind, helloIn, openEditor, writeSource } from "./editing.ts";
import { saveFlow } from "./flows.ts";

const MESSAGE = '    message: "Hello {{ inputs.name }}"';

/** A task with a hyphen in its name, and the beginning of one behind it. */
const HYPHENS =
  "\n  - id: one-two\n    type: io.kestra.plugin.core.debug.Return\n    format: x\n  - id: last\n" +
  "    type: io.kestra.plugin.core.log.Log\n";

/** What is typed behind which text, and the option that is offered then. */
interface Case {
  readonly what: string;
  readonly behind: string;
  readonly typed: string;
  readonly option: string;
  /** Part of the source once the option is chosen. */
  readonly result: string;
}

const CASES: readonly Case[] = [
  {
    what: "properties of the flow",
    behind: 'cron: "0 3',
    typed: "\n\nvaria",
    option: "variables",
    result: "variables:",
  },
  {
    what: "properties of the type of a task",
    behind: MESSAGE,
    typed: "\n    leve",
    option: "level",
    result: "    level: ",
  },
  {
    what: "values of a property",
    behind: MESSAGE,
    typed: "\n    level: WA",
    option: "WARN",
    result: "level: WARN",
  },
  {
    what: "types of tasks",
    behind: MESSAGE,
    typed: "\n  - id: back\n    type: io.kestra.Retur",
    option: "Return",
    result: "type: io.kestra.plugin.core.debug.Return",
  },
  {
    what: "a cron expression in quotes",
    behind: 'cron: "0 3',
    typed: "\n  - id: again\n    type: io.kestra.plugin.core.trigger.Schedule\n    cro",
    option: "cron",
    result: '    cron: ""',
  },
  {
    what: "types of inputs",
    behind: "    defaults: 1",
    typed: "\n  - id: day\n    type: DAT",
    option: "DATETIME",
    result: "type: DATETIME",
  },
  {
    what: "inputs",
    behind: MESSAGE,
    typed: "\n    description: {{ inputs.co",
    option: "inputs.count",
    result: "{{ inputs.count",
  },
  {
    what: "outputs of earlier tasks",
    behind: MESSAGE,
    typed: "\n  - id: back\n    type: io.kestra.plugin.core.debug.Return\n    format: x\n  - id: last\n" +
      "    type: io.kestra.plugin.core.log.Log\n    message: {{ outputs.ba",
    option: "outputs.back.value",
    result: "{{ outputs.back.value",
  },
  {
    what: "outputs of a task whose name needs brackets, in a value in quotes",
    behind: MESSAGE,
    typed: HYPHENS + '    message: "{{ outputs.one-t',
    option: "outputs['one-two'].value",
    result: "message: \"{{ outputs['one-two'].value",
  },
  {
    what: "a name in brackets that has begun",
    behind: MESSAGE,
    typed: HYPHENS + "    message: {{ outputs['on",
    option: "outputs['one-two'].value",
    result: "message: {{ outputs['one-two'].value",
  },
  {
    what: "inputs although there is a mistake elsewhere",
    behind: MESSAGE,
    typed: "\n    nothing: 1\n    description: {{ inputs.co",
    option: "inputs.count",
    result: "{{ inputs.count",
  },
  {
    what: "types that have defaults",
    behind: 'cron: "0 3',
    typed: "\n\npluginDefaults:\n  - type: io.kestra.Retur",
    option: "Return",
    result: "type: io.kestra.plugin.core.debug.Return",
  },
  {
    what: "properties that have defaults",
    behind: 'cron: "0 3',
    typed: "\n\npluginDefaults:\n  - type: io.kestra.plugin.core.log.Log\n    values:\n      leve",
    option: "level",
    result: "      level: ",
  },
  {
    what: "functions",
    behind: MESSAGE,
    typed: "\n    description: {{ rando",
    option: "randomInt",
    result: "{{ randomInt(",
  },
  {
    what: "filters",
    behind: MESSAGE,
    typed: "\n    description: {{ 1 | abs",
    option: "abs",
    result: "| abs",
  },
  {
    what: "keys of KV pairs",
    behind: MESSAGE,
    typed: "\n    description: {{ kv('re",
    option: "region",
    result: "kv('region",
  },
  {
    what: "names of secrets",
    behind: MESSAGE,
    typed: "\n    description: {{ secret('TO",
    option: "TOKEN",
    result: "secret('TOKEN",
  },
  {
    what: "files within read()",
    behind: MESSAGE,
    typed: "\n    description: {{ read('scr",
    option: "scripts/main.py",
    result: "read('scripts/main.py",
  },
  {
    what: "files in addresses",
    behind: MESSAGE,
    typed: "\n    description: nsfile:///ma",
    option: "scripts/main.py",
    result: "nsfile:///scripts/main.py",
  },
  {
    what: "files that a task gets",
    behind: MESSAGE,
    typed: "\n    namespaceFiles:\n      include:\n        - scr",
    option: "scripts/main.py",
    result: "- scripts/main.py",
  },
];

stories("the editor completes", [{
  name: "properties, types, values, and what expressions know",
  run: async (page) => {
    await openEditor(page, "demo");
    for (const each of CASES) await complete(page, each);
    page.once("dialog", (dialog) => void dialog.accept());
  },
}, {
  name: "by Enter and Tab, which leave alone what is written",
  run: async (page) => {
    await openEditor(page, "demo");
    await goBehind(page, MESSAGE);
    await typeTo(page, "\n    allowFailure: true", "true");
    await page.keyboard.press("Enter");
    await typeTo(page, "leve", "level");
    await page.keyboard.press("Tab");
    await typeTo(page, "WA", "WARN");
    await page.keyboard.press("Tab");
    const task = [MESSAGE, "    allowFailure: true", "    level: WARN"].join("\n");
    assert((await textOf(page)).includes(task), await textOf(page));
    await goBehind(page, "    level");
    await page.keyboard.press("Home");
    for (let count = 0; count < "level".length; count++) await page.keyboard.press("Delete");
    await typeTo(page, "leve", "level");
    await page.keyboard.press("Enter");
    assert((await textOf(page)).includes(task), await textOf(page));
    page.once("dialog", (dialog) => void dialog.accept());
  },
}], {
  prepare: async (server) => {
    await saveFlow(server, helloIn("demo"));
    await store(server, "PUT", "kv/region", json('"eu"'));
    await store(server, "PUT", "secrets", json({ key: "TOKEN", value: "hidden" }));
    await store(server, "POST", "files?path=/scripts/main.py", fileForm("print(1)"));
  },
});

async function store(server: ServerProcess, method: string, path: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/main/namespaces/demo/${path}`, { method, ...init });
  assert(response.ok, await response.text());
}

function textOf(page: Page): Promise<string> {
  return page.locator(".cm-content").innerText();
}

/** Types by keys, and uses the list that opens, so that keys are meant for it however soon they are pressed. */
async function typeTo(page: Page, text: string, option: string): Promise<void> {
  await page.keyboard.insertText(text.slice(0, -1));
  await page.keyboard.type(text.slice(-1));
  await page.getByRole("option", { name: option }).first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
}

async function complete(page: Page, { what, behind, typed, option, result }: Case): Promise<void> {
  await writeSource(page, helloIn("demo"));
  await page.getByText("✓ Valid").waitFor();
  await goBehind(page, behind);
  // Only what is typed, rather than pasted, opens the list.
  await page.keyboard.insertText(typed.slice(0, -1));
  await page.keyboard.type(typed.slice(-1));
  await page.getByRole("option", { name: option }).first().click();
  const text = await textOf(page);
  assert(text.includes(result), `${what}: ${text}`);
}
