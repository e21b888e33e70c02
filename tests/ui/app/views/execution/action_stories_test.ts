/** Stories of the actions on an execution, each with its effect. */
import { Buffer } from "node:buffer";
import { assert, assertEquals } from "@std/assert";
import { checkAccessibility, type Page, stories } from "../../../../support/browser/browser.ts";
import { copiedBy } from "../../copied.ts";
import { until } from "../../../../support/processes/machine_processes.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { saveFlow } from "../../flows.ts";
import { holdResponse } from "../../held_requests.ts";
import { choose, confirm, open, run, start, waitForOther, waitForState } from "./pages.ts";

const LOG = "{id: log, type: io.svc.plugin.core.log.Log, message: fine}";
const GOOD = `tasks: [${LOG}]`;
const FAILING = "tasks: [{id: check, type: io.svc.plugin.core.execution.Fail, errorMessage: closed}]";
const SLEEPING = "tasks: [{id: nap, type: io.svc.plugin.core.flow.Sleep, duration: PT1H}]";
const LIMITED = `concurrency: {limit: 1}\n${SLEEPING}`;
const CHAIN = `
tasks:
  - {id: read, type: io.svc.plugin.core.debug.Return, format: old}
  - {id: use, type: io.svc.plugin.core.debug.Return, format: "got {{ outputs.read.value }}"}
outputs: [{id: text, type: STRING, value: "{{ outputs.use.value }}"}]`;
const CLIPBOARD = ["clipboard-read", "clipboard-write"];

/** Each with a value to type, and what the flow makes of it. */
const FIELDS: readonly (readonly [type: string, typed: string, shown: string])[] = [
  ["STRING", "a text", "a text"],
  ["INT", "7", "7"],
  ["FLOAT", "1.5", "1.5"],
  ["DATE", "2026-03-04", "2026-03-04"],
  ["TIME", "10:20:30", "10:20:30"],
  ["DURATION", "PT5M", "PT5M"],
  ["DATETIME", "2026-03-04T05:06:07", "2026-03-04T05:06:07"],
  ["URI", "https://example.com/a", "https://example.com/a"],
  ["EMAIL", "ada@example.com", "ada@example.com"],
  ["JSON", '{"a": 41}', "41"],
  ["YAML", "b: 42", "42"],
  ["ARRAY", "[43]", "43"],
];
const FORM = `
tasks:
  - id: ask
    type: io.svc.plugin.core.flow.Pause
    onResume:
${
  FIELDS.map(([type]) => `      - {id: ${type}, type: ${type}${type === "ARRAY" ? ", itemType: INT" : ""}}`)
    .join("\n")
}
      - {id: BOOL, type: BOOL}
      - {id: SELECT, type: SELECT, values: [red, green]}
      - {id: RADIO, type: SELECT, values: [left, right], isRadio: true}
      - {id: MULTISELECT, type: MULTISELECT, values: [one, two, three]}
      - {id: SECRET, type: SECRET}
      - {id: FILE, type: FILE}
`;

/** Holds back what checks forms, as a slow connection does. */
async function delayChecks(page: Page): Promise<void> {
  await page.route("**/validate*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 350));
    await route.continue();
  });
}

async function countIn(server: ServerProcess, namespace: string): Promise<number> {
  const path = `/executions/search?namespace=${namespace}`;
  return (await server.json<{ readonly total: number }>("GET", path)).total;
}

/** The pause that an execution is in. */
async function pausedTask(server: ServerProcess, id: string): Promise<string | undefined> {
  type Run = { readonly taskId: string; readonly state: { readonly current: string } };
  const { taskRunList } = await server.json<{ readonly taskRunList: readonly Run[] }>(
    "GET",
    `/executions/${id}`,
  );
  return taskRunList.find(({ state }) => state.current === "PAUSED")?.taskId;
}

stories("/executions/:id actions", [{
  name: "restart runs the failed task again, and counts the attempt",
  run: async (page, server) => {
    await open(page, await run(server, "a.restart", FAILING));
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await page.locator(".facts div", { hasText: "Attempt" }).getByText("2").waitFor();
    await waitForState(page, "FAILED");
  },
}, {
  name: "replay by its key starts a new execution that links to the first one",
  run: async (page, server) => {
    const first = await run(server, "a.replay", GOOD);
    await open(page, first);
    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Replay" }).waitFor();
    await checkAccessibility(page);
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.locator(".facts").getByRole("link", { name: first.id }).first().waitFor();
  },
}, {
  name: "replay with other inputs prefills the former ones, and asks for a secret anew",
  run: async (page, server) => {
    const inputs = "inputs: [{id: name, type: STRING}, {id: key, type: SECRET}]";
    const tasks =
      'tasks: [{id: greet, type: io.svc.plugin.core.debug.Return, format: "{{ inputs.name }} {{ inputs.key | length }}"}]';
    const first = await run(server, "a.inputs", `${inputs}\n${tasks}`, {
      inputs: { name: "Ada", key: "1234" },
    });
    await open(page, first);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByLabel("Change inputs").check();
    assertEquals(await dialog.getByLabel("name").inputValue(), "Ada");
    assertEquals(await dialog.getByLabel("key").inputValue(), "");
    await dialog.getByLabel("name").fill("Grace");
    await dialog.getByLabel("key").fill("123456");
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.getByRole("link", { name: "Outputs" }).click();
    await page.getByText("Grace 6").waitFor();
  },
}, {
  name: "typed inputs of a replay stay when another revision is chosen, and are checked with it",
  run: async (page, server) => {
    const membersOf = (...names: readonly string[]) =>
      `inputs: [${names.map((name) => `{id: ${name}, type: STRING}`)}]
tasks: [{id: say, type: io.svc.plugin.core.debug.Return, format: "${
        names.map((name) => `{{ inputs.${name} }}`).join(" ")
      }"}]
outputs: [{id: text, type: STRING, value: "{{ outputs.say.value }}"}]`;
    const first = await run(server, "a.kept", membersOf("name"), { inputs: { name: "Ada" } });
    await server.json("PUT", "/flows/a.kept/main", {
      body: `id: main\nnamespace: a.kept\n${membersOf("name", "team")}`,
      headers: { "content-type": "application/x-yaml" },
    });
    await open(page, first);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByLabel("Change inputs").check();
    await dialog.getByLabel("name").fill("Grace");
    const revision = dialog.getByLabel("Revision");
    await revision.selectOption({ label: "The latest (2)" });
    await dialog.getByLabel("team").fill("blue");
    await revision.selectOption("");
    await dialog.getByLabel("team").waitFor({ state: "detached" });
    await revision.selectOption({ label: "The latest (2)" });
    await dialog.getByLabel("team").waitFor();
    assertEquals(await dialog.getByLabel("name").inputValue(), "Grace");
    assertEquals(await dialog.getByLabel("team").inputValue(), "blue");
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.getByText("Grace blue").waitFor();
  },
}, {
  name: "an emptied input of a replay has its default, and a double click replays once",
  run: async (page, server) => {
    const members = `inputs: [{id: count, type: INT, defaults: 5}]
tasks: [{id: say, type: io.svc.plugin.core.debug.Return, format: "has {{ inputs.count }}"}]
outputs: [{id: text, type: STRING, value: "{{ outputs.say.value }}"}]`;
    const first = await run(server, "a.emptied", members, { inputs: { count: "7" } });
    await open(page, first);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByLabel("Change inputs").check();
    const count = dialog.getByLabel("count");
    assertEquals(await count.inputValue(), "7");
    await count.press("End");
    await count.press("Backspace");
    await dialog.getByText("Empty: the default applies, 5").waitFor();
    assertEquals(await count.inputValue(), "");
    await delayChecks(page);
    await dialog.getByRole("button", { name: "Replay", exact: true }).dblclick();
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.getByText("has 5").waitFor();
    assertEquals(await countIn(server, "a.emptied"), 2);
  },
}, {
  name: "replay from a task with other outputs of an earlier one; what is no object is refused",
  run: async (page, server) => {
    const first = await run(server, "a.outputs", CHAIN);
    await open(page, first);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByLabel("Begin with task").selectOption({ label: "use – SUCCESS" });
    await dialog.getByLabel("Change outputs of an earlier task").selectOption({ label: "read" });
    const outputs = dialog.getByLabel("Outputs of read");
    assertEquals(JSON.parse(await outputs.inputValue()), { value: "old" });
    await outputs.fill("[1]");
    await dialog.getByText("Write a JSON object").waitFor();
    await checkAccessibility(page);
    await outputs.fill('{"value": "new"}');
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.getByText("got new").waitFor();
  },
}, {
  name: "replay with the latest revision",
  run: async (page, server) => {
    const first = await run(server, "a.revision", CHAIN);
    await server.json("PUT", "/flows/a.revision/main", {
      body: `id: main\nnamespace: a.revision\n${CHAIN.replace("got", "has")}`,
      headers: { "content-type": "application/x-yaml" },
    });
    await open(page, first);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByLabel("Revision").selectOption({ label: "The latest (2)" });
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
    await page.getByText("has old").waitFor();
    await page.locator(".facts").getByRole("link", { name: "2", exact: true }).click();
    await page.waitForURL("**/flows/edit/a.revision/main/revisions?revision=2");
  },
}, {
  name: "replay from a task of the Gantt chart",
  run: async (page, server) => {
    const first = await run(server, "a.from", CHAIN);
    await open(page, first, "/gantt");
    await page.getByRole("row", { name: "use" }).click();
    await page.getByRole("button", { name: "Replay from here" }).click();
    await confirm(page, "Replay");
    await waitForOther(page, first);
    await waitForState(page, "SUCCESS");
  },
}, {
  name: "pause holds a running execution, resume lets it continue",
  run: async (page, server) => {
    await open(page, await run(server, "a.pause", SLEEPING, { waits: false }));
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await waitForState(page, "PAUSED");
    await page.getByText("Paused by a person").waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await waitForState(page, "RUNNING");
  },
}, {
  name: "buttons wait for the response to an action: the stream can show its effect before",
  run: async (page, server) => {
    await open(page, await run(server, "a.early", SLEEPING, { waits: false }));
    const held = await holdResponse(page, "**/actions/pause");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await waitForState(page, "PAUSED");
    const resume = page.getByRole("button", { name: "Resume", exact: true });
    assertEquals(await resume.isDisabled(), true);
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Resume Another action is under way" }).waitFor();
    held.release();
    await resume.click();
    await waitForState(page, "RUNNING");
  },
}, {
  name: "resume with a form that has each type of input",
  run: async (page, server) => {
    const started = await run(server, "a.form", FORM, { waits: false });
    await open(page, started);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Resume" });
    for (const [type, typed] of FIELDS) await dialog.locator(`[name=${type}]`).fill(typed);
    await dialog.locator("[name=BOOL]").selectOption("true");
    await dialog.locator("[name=SELECT]").selectOption("green");
    await dialog.getByRole("radio", { name: "right" }).check();
    await dialog.getByRole("checkbox", { name: "three" }).check();
    await dialog.locator("[name=SECRET]").fill("hidden word");
    const buffer = Buffer.from("id,name\n1,Ada\n");
    await dialog.locator("[name=FILE]").setInputFiles({
      name: "a.csv",
      mimeType: "text/csv",
      buffer,
    });
    await checkAccessibility(page);
    await confirm(page, "Resume");
    await waitForState(page, "SUCCESS");
    await page.getByRole("link", { name: "Outputs" }).click();
    for (const [, , shown] of FIELDS) await page.locator(".tree").getByText(shown).first().waitFor();
    for (const shown of ["true", "green", "right", "three"]) {
      await page.locator(".tree").getByText(shown).first().waitFor();
    }
    assertEquals(await page.getByText("hidden word").count(), 0);
  },
}, {
  name: "a double click resumes one pause, and an emptied input of its form has its default",
  run: async (page, server) => {
    const pause = "type: io.svc.plugin.core.flow.Pause";
    const members = `
tasks:
  - {id: first, ${pause}}
  - {id: second, ${pause}, onResume: [{id: count, type: INT, defaults: 5}]}
  - {id: third, ${pause}}`;
    const started = await run(server, "a.pauses", members, { waits: false });
    await open(page, started);
    await waitForState(page, "PAUSED");
    await delayChecks(page);
    const resumes: string[] = [];
    await page.route("**/actions/resume", async (route) => {
      resumes.push(route.request().method());
      await route.continue();
    });
    const resume = page.getByRole("button", { name: "Resume", exact: true });
    await resume.dblclick();
    await until(async () => await pausedTask(server, started.id) === "second");
    assertEquals(resumes.length, 1);
    await waitForState(page, "PAUSED");
    await resume.click();
    const dialog = page.getByRole("dialog", { name: "Resume" });
    await dialog.getByLabel("count").fill("");
    await dialog.getByText("Empty: the default applies, 5").waitFor();
    await dialog.getByRole("button", { name: "Resume", exact: true }).dblclick();
    await dialog.waitFor({ state: "detached" });
    await until(async () => await pausedTask(server, started.id) === "third");
    assertEquals(resumes.length, 2);
  },
}, {
  name: "kill asks first; the question can be refused",
  size: "small",
  scheme: "dark",
  run: async (page, server) => {
    await open(page, await run(server, "a.kill", SLEEPING, { waits: false }));
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await confirm(page, "Cancel");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await waitForState(page, "RUNNING");
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await confirm(page, "Kill");
    await waitForState(page, "KILLED");
  },
}, {
  name: "a queued execution says how many are ahead, and is forced to run",
  run: async (page, server) => {
    await run(server, "a.force", LIMITED, { waits: false });
    await start(server, "a.force", { waits: false });
    const last = await start(server, "a.force", { waits: false });
    await open(page, last);
    await waitForState(page, "QUEUED");
    await page.getByText("1 ahead in the queue, 1 of 1 running").waitFor();
    await page.getByRole("button", { name: "Force run", exact: true }).click();
    await waitForState(page, "RUNNING");
  },
}, {
  name: "unqueue takes an execution out of the queue",
  run: async (page, server) => {
    await run(server, "a.unqueue", LIMITED, { waits: false });
    await open(page, await start(server, "a.unqueue", { waits: false }));
    await waitForState(page, "QUEUED");
    await choose(page, "Unqueue");
    await waitForState(page, "RUNNING");
  },
}, {
  name: "change state of an ended execution",
  run: async (page, server) => {
    await open(page, await run(server, "a.state", FAILING));
    await choose(page, "Change state");
    await page.getByRole("dialog").getByLabel("State").selectOption("WARNING");
    await confirm(page, "Change state");
    await waitForState(page, "WARNING");
  },
}, {
  name: "change state of one task run",
  run: async (page, server) => {
    await open(page, await run(server, "a.task", FAILING), "/gantt");
    await page.getByRole("row", { name: "check" }).click();
    await page.getByRole("complementary").getByRole("button", { name: "Change state" }).click();
    await page.getByRole("dialog").getByText("Task check").waitFor();
    await page.getByRole("dialog").getByLabel("State").selectOption("SUCCESS");
    await confirm(page, "Change state");
    await waitForState(page, "SUCCESS");
  },
}, {
  name: "labels are set and lead to the list; a reserved one is refused and can be corrected",
  expectedErrors: /422/,
  run: async (page, server) => {
    await open(page, await run(server, "a.labels", GOOD));
    await choose(page, "Set labels");
    const dialog = page.getByRole("dialog", { name: "Set labels" });
    await dialog.getByLabel("Key").first().fill("system.mine");
    await dialog.getByLabel("Value").first().fill("a");
    await confirm(page, "Set labels");
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Key").first().fill("team");
    await confirm(page, "Set labels");
    await page.getByRole("link", { name: "team: a" }).click();
    await page.waitForURL("**/ui/executions?labels=team%3Aa");
  },
}, {
  name: "delete asks first and leads to the list",
  run: async (page, server) => {
    await open(page, await run(server, "a.delete", GOOD));
    await choose(page, "Delete");
    await confirm(page, "Delete");
    await page.getByText("The execution is deleted").waitFor();
    await page.waitForURL("**/ui/executions");
  },
}, {
  name: "the id and a command are copied, and the JSON is opened",
  run: async (page, server) => {
    await page.context().grantPermissions(CLIPBOARD);
    const { id, ...rest } = await run(server, "a.copy", GOOD);
    await open(page, { id, ...rest });
    const facts = page.locator(".facts");
    assertEquals(await copiedBy(page, facts.getByRole("button", { name: "Copy", exact: true })), id);
    await facts.getByRole("button", { name: "Copied" }).waitFor({ state: "detached" });
    assertEquals(
      await copiedBy(page, facts.getByRole("button", { name: "curl" })),
      `curl '${server.url}/api/v1/main/executions/${id}'`,
    );
    const href = await facts.getByRole("link", { name: "JSON" }).getAttribute("href") ?? "";
    assertEquals((await (await page.request.get(href)).json()).id, id);
  },
}, {
  name: "a command that starts a flow has a placeholder for a secret",
  run: async (page, server) => {
    await page.context().grantPermissions(CLIPBOARD);
    await saveFlow(
      server,
      `id: main\nnamespace: a.curl\ninputs: [{id: name, type: STRING}, {id: key, type: SECRET}]\n${GOOD}`,
    );
    await page.goto("/ui/flows/edit/a.curl/main");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("dialog").getByLabel("name").fill("Ada");
    await page.getByRole("dialog").getByLabel("key").fill("hidden word");
    const command = await copiedBy(page, page.getByRole("button", { name: "Copy as curl" }));
    assert(command.includes("-F 'name=Ada' -F 'key=<key>'"), command);
  },
}, {
  name: "actions that are not possible say why",
  run: async (page, server) => {
    await open(page, await run(server, "a.why", GOOD));
    await page.getByRole("button", { name: "Actions" }).click();
    const reasonOf = (name: string) => page.getByRole("menuitem", { name }).locator("small").textContent();
    assertEquals(await reasonOf("Resume"), "It is SUCCESS, not paused");
    assertEquals(await reasonOf("Restart"), "It is SUCCESS: no task has failed");
    assertEquals(await reasonOf("Kill"), "It has ended in state SUCCESS");
    await checkAccessibility(page);
    await page.keyboard.press("Escape");
  },
}, {
  name: "an action that the server refuses is shown",
  expectedErrors: /404|409/,
  run: async (page, server) => {
    const started = await run(server, "a.refused", GOOD);
    await open(page, started);
    await fetch(`${server.url}/api/v1/main/executions/${started.id}`, { method: "DELETE" })
      .then((response) => response.body?.cancel());
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await confirm(page, "Replay");
    await page.getByRole("dialog").getByRole("alert").waitFor();
  },
}, {
  name: "the keyboard alone opens the menu, chooses, confirms",
  run: async (page, server) => {
    await open(page, await run(server, "a.keys", FAILING));
    await page.getByRole("button", { name: "Actions" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Resume" }).waitFor();
    for (let count = 0; count < 7; count++) await page.keyboard.press("ArrowDown");
    assertEquals(await page.locator("[role=menuitem]:focus").textContent(), "Change state");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("State").focus();
    await page.keyboard.press("W");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitForState(page, "WARNING");
  },
}]);
