/** Stories of the page of an execution in a browser. */
import { assert, assertEquals } from "@std/assert";
import { checkAccessibility, type Page, story, withPage } from "../../../../support/browser.ts";
import type { ServerProcess } from "../../../../support/server_process.ts";

const TABS = ["", "gantt", "logs", "topology", "outputs", "metrics"];

const FAILING = `
id: failing
namespace: demo
tasks:
  - id: loop
    type: io.svc.plugin.core.flow.ForEach
    values: ["a", "b"]
    tasks:
      - {id: say, type: io.svc.plugin.core.log.Log, message: "item {{ taskrun.value }}"}
  - {id: colours, type: io.svc.plugin.core.log.Log, message: "\\e[32mgreen\\e[0m text"}
  - {id: check, type: io.svc.plugin.core.execution.Fail, errorMessage: "the source is empty"}
errors:
  - {id: notify, type: io.svc.plugin.core.log.Log, level: ERROR, message: "the team is notified"}
`;

const APPROVAL = `
id: approval
namespace: demo
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Pause
    onResume:
      - {id: reason, type: STRING}
      - {id: count, type: INT, defaults: 3}
  - {id: done, type: io.svc.plugin.core.log.Log, message: "because {{ outputs.wait.onResume.reason }}"}
`;

const VALUES = `
id: values
namespace: demo
inputs:
  - {id: name, type: STRING}
tasks:
  - {id: greet, type: io.svc.plugin.core.debug.Return, format: "Hello {{ inputs.name }}"}
  - {id: table, type: io.svc.plugin.core.storage.Write, content: "id,name\\n1,Ada\\n", extension: .csv}
outputs:
  - {id: text, type: STRING, value: "{{ outputs.greet.value }}"}
`;

const SLEEPING = `
id: sleeping
namespace: demo
concurrency: {limit: 1}
tasks:
  - {id: nap, type: io.svc.plugin.core.flow.Sleep, duration: PT1H}
`;

async function save(server: ServerProcess, source: string): Promise<void> {
  await server.json("POST", "/flows", { body: source, headers: { "content-type": "application/x-yaml" } });
}

async function start(
  server: ServerProcess,
  flow: string,
  inputs: Readonly<Record<string, string>> = {},
  query = "",
): Promise<string> {
  const body = new FormData();
  for (const [id, value] of Object.entries(inputs)) body.append(id, value);
  return (await server.json<{ id: string }>("POST", `/executions/demo/${flow}${query}`, { body })).id;
}

async function open(page: Page, flow: string, id: string, rest = ""): Promise<void> {
  await page.goto(`/ui/executions/demo/${flow}/${id}${rest}`);
  await page.getByRole("heading", { level: 1, name: flow }).waitFor();
}

const stateOf = (page: Page, state: string) => page.locator("h1 .state", { hasText: state });

story("/executions/:id a failure: the cause first, with its error and a way to its logs", async (server) => {
  await save(server, FAILING);
  const id = await start(server, "failing", {}, "?wait=true");
  await withPage(server, {}, async (page) => {
    await open(page, "failing", id);
    const failure = page.getByRole("region", { name: "Failure" });
    await failure.getByText("Failed in task check").waitFor();
    await failure.getByText("the source is empty").waitFor();
    assertEquals(await failure.getByText("the team is notified").count(), 0);
    await failure.getByRole("link", { name: "Show logs" }).click();
    await page.getByText("1 of 5 lines").waitFor();
    assert(page.url().includes("/logs?task="));
  });
});

story("/executions/:id/gantt rows by the keyboard, with the panel of a task", async (server) => {
  await save(server, FAILING);
  const id = await start(server, "failing", {}, "?wait=true");
  await withPage(server, {}, async (page) => {
    await open(page, "failing", id, "/gantt");
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "loop" }).waitFor();
    assertEquals(await page.getByRole("row").count(), 6);
    await page.keyboard.press("ArrowLeft");
    await page.getByText("4 rows").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "colours" }).waitFor();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("slider", { name: "Position in time" }).waitFor();
    assert(page.url().includes("zoom=2"));
  });
});

story("/executions/:id/logs colours, search, a link to a line, and a long log", async (server) => {
  await save(server, FAILING);
  const messages = Array.from({ length: 4_000 }, (_, index) => `"line ${index + 1}"`);
  await save(
    server,
    `id: long\nnamespace: demo\ntasks:\n  - {id: say, type: io.svc.plugin.core.log.Log, message: [${messages}]}`,
  );
  const [failing, long] = [
    await start(server, "failing", {}, "?wait=true"),
    await start(server, "long", {}, "?wait=true"),
  ];
  await withPage(server, {}, async (page) => {
    await open(page, "failing", failing, "/logs");
    assertEquals(await page.locator(".ansi-green").textContent(), "green");
    await open(page, "long", long, "/logs#L3000");
    await page.locator("#L3000.chosen").waitFor();
    assert(await page.locator(".log-line").count() < 200, "only visible lines are drawn");
    await page.getByRole("searchbox").fill("line 39");
    await page.getByText("111 of 4,000 lines").waitFor();
    assertEquals(await page.locator("mark").first().textContent(), "line 39");
  });
});

story(
  "/executions/:id resumes a pause by its form, and shows the end without loading the page",
  async (server) => {
    await save(server, APPROVAL);
    const id = await start(server, "approval");
    await withPage(server, {}, async (page) => {
      await open(page, "approval", id);
      await page.getByText("Task wait waits to be resumed").waitFor();
      await page.getByRole("button", { name: "Resume", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Resume" });
      assertEquals(await dialog.getByLabel("count").inputValue(), "3");
      await checkAccessibility(page);
      await dialog.getByRole("button", { name: "Resume" }).click();
      await dialog.getByText("missing required input").waitFor();
      await dialog.getByLabel("reason").fill("it is fine");
      await dialog.getByRole("button", { name: "Resume" }).click();
      await stateOf(page, "SUCCESS").waitFor();
      await page.getByRole("link", { name: "Logs", exact: true }).last().click();
      await page.getByText("because it is fine").waitFor();
    });
  },
);

story("/executions/:id says what it waits for, and is killed after a question", async (server) => {
  await save(server, SLEEPING);
  const [first, second] = [await start(server, "sleeping"), await start(server, "sleeping")];
  await withPage(server, { scheme: "dark" }, async (page) => {
    await open(page, "sleeping", second);
    await page.getByText("1 of 1 running").waitFor();
    await open(page, "sleeping", first);
    await page.getByText("Task nap waits for its time").waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    const restart = page.getByRole("menuitem", { name: "Restart" });
    assertEquals(await restart.getAttribute("aria-disabled"), "true");
    await checkAccessibility(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await stateOf(page, "KILLED").waitFor();
    await open(page, "sleeping", second);
    await stateOf(page, "RUNNING").waitFor();
  });
});

story("/executions/:id/outputs values, a file, an expression; a replay with other inputs", async (server) => {
  await save(server, VALUES);
  const id = await start(server, "values", { name: "Ada" }, "?wait=true");
  await withPage(server, {}, async (page) => {
    await open(page, "values", id, "/outputs");
    await page.getByText("Hello Ada").waitFor();
    await page.getByRole("button", { name: "table" }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("dialog").getByRole("cell", { name: "Ada" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Evaluate an expression").fill("{{ inputs.name | upper }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await page.getByText("ADA").waitFor();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByLabel("Change inputs").check();
    await dialog.getByLabel("name").fill("Grace");
    await dialog.getByRole("button", { name: "Replay" }).click();
    await page.waitForURL((url) => !url.pathname.includes(id));
    await stateOf(page, "SUCCESS").waitFor();
    await page.getByText("Hello Grace").waitFor();
  });
});

story("/executions/:id one that does not exist, and an address with the id alone", async (server) => {
  await save(server, VALUES);
  const id = await start(server, "values", { name: "Ada" }, "?wait=true");
  await withPage(server, { expectedErrors: /404/ }, async (page) => {
    const response = await page.goto("/ui/executions/demo/values/0000000000000000000000");
    assertEquals(response?.status(), 404);
    await page.getByRole("link", { name: "Search for this id" }).waitFor();
    await page.goto(`/ui/executions/${id}`);
    await page.waitForURL(`**/executions/demo/values/${id}`);
    await page.getByText("Outputs of the flow").or(page.getByRole("heading", { name: "Outputs" })).waitFor();
  });
});

for (const size of ["wide", "small"] as const) {
  story(`/executions/:id each tab is accessible (${size})`, async (server) => {
    await save(server, FAILING);
    const id = await start(server, "failing", {}, "?wait=true");
    await withPage(server, { size, scheme: size === "wide" ? "light" : "dark" }, async (page) => {
      for (const tab of TABS) {
        await open(page, "failing", id, tab === "" ? "" : `/${tab}`);
        await page.locator("main :is(.card, .graph, .empty)").first().waitFor();
        await checkAccessibility(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(overflow <= 0, `the tab "${tab}" is ${overflow} pixels too wide`);
      }
    });
  });
}
