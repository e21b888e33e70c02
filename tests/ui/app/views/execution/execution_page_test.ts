/** Stories of the page of an execution in a browser. */
import { assert, assertEquals } from "@std/assert";
import { checkAccessibility, stories } from "../../../../support/browser/browser.ts";
import { pressCopy } from "../../copied.ts";
import { checkWidth } from "../../list_page.ts";
import { tryAgain } from "../../try_again.ts";
import { type Watch, watchFor } from "../../watch.ts";
import { confirm, open, run, start, stateOf, waitForState } from "./pages.ts";

const TABS = ["", "/gantt", "/logs", "/topology", "/outputs", "/metrics"];

const FAILING = `
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
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Pause
    onResume:
      - {id: reason, type: STRING}
      - {id: count, type: INT, defaults: 3}
  - {id: done, type: io.svc.plugin.core.log.Log, message: "because {{ outputs.wait.onResume.reason }}"}
`;

const SLEEPING = `
concurrency: {limit: 1}
tasks:
  - {id: nap, type: io.svc.plugin.core.flow.Sleep, duration: PT1H}
`;

const SHORT = "tasks: [{id: greet, type: io.svc.plugin.core.debug.Return, format: Hello}]";

/** The text that is copied next. */
function nextCopy(): Watch<string> {
  const seen = new Promise<string>((resolve) => {
    const textOf = () => (document.activeElement as HTMLTextAreaElement).value;
    addEventListener("copy", () => resolve(textOf()), { once: true });
  });
  return { seen };
}

stories("/executions/:id", [{
  name: "a failure: the cause first, with its error and a way to its logs",
  run: async (page, server) => {
    await open(page, await run(server, "p.failing", FAILING));
    const failure = page.getByRole("region", { name: "Failure" });
    await failure.getByText("Failed in task check").waitFor();
    await failure.getByText("the source is empty").waitFor();
    assertEquals(await failure.getByText("the team is notified").count(), 0);
    await failure.getByRole("link", { name: "Show logs" }).click();
    await page.getByText("1 of 5 lines").waitFor();
    assert(page.url().includes("/logs?task="));
  },
}, {
  name: "resumes a pause by its form, and shows the end without loading the page",
  run: async (page, server) => {
    await open(page, await run(server, "p.approval", APPROVAL, { waits: false }));
    await page.getByText("Task wait waits to be resumed").waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Resume" });
    assertEquals(await dialog.getByLabel("count").inputValue(), "3");
    await confirm(page, "Resume");
    const reason = dialog.getByLabel("reason");
    assertEquals(await reason.evaluate((field) => field.matches(":invalid:focus")), true);
    await checkAccessibility(page);
    await reason.fill("it is fine");
    await confirm(page, "Resume");
    await waitForState(page, "SUCCESS");
    await page.getByRole("link", { name: "Logs", exact: true }).last().click();
    await page.getByText("because it is fine").waitFor();
  },
}, {
  name: "says what it waits for; its end lets the next one run",
  scheme: "dark",
  run: async (page, server) => {
    const first = await run(server, "p.sleeping", SLEEPING, { waits: false });
    const second = await start(server, "p.sleeping", { waits: false });
    await open(page, second);
    await page.getByText("1 of 1 running").waitFor();
    await open(page, first);
    await page.getByText("Task nap waits for its time").waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    const restart = page.getByRole("menuitem", { name: "Restart" });
    assertEquals(await restart.getAttribute("aria-disabled"), "true");
    await checkAccessibility(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await confirm(page, "Kill");
    await waitForState(page, "KILLED");
    await open(page, second);
    await waitForState(page, "RUNNING");
  },
}, {
  name: "one that cannot be read is named, and read by another try",
  size: "small",
  expectedErrors: /status of 500/,
  run: async (page, server) => {
    const started = await run(server, "p.broken", SHORT);
    const path = `**/api/v1/main/executions/${started.id}?maxTaskRuns=*`;
    await page.route(path, (route) => route.fulfill({ status: 500, json: { message: "Internal error" } }));
    await open(page, started);
    await page.getByRole("alert").getByText("Internal error").waitFor();
    await checkAccessibility(page);
    await checkWidth(page);
    await page.unroute(path);
    await tryAgain(page.locator("main"), stateOf(page, "SUCCESS"));
  },
}, {
  name: "its id is copied where the browser has no clipboard, as on a page by http",
  size: "small",
  run: async (page, server) => {
    const started = await run(server, "p.copied", SHORT);
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined })
    );
    await open(page, started);
    const copied = await watchFor(page, nextCopy);
    await pressCopy(page, page.getByRole("button", { name: "Copy", exact: true }).first());
    assertEquals(await copied(), started.id);
  },
}, {
  name: "one that does not exist, and an address with the id alone",
  expectedErrors: /404/,
  run: async (page, server) => {
    const { id } = await run(server, "p.short", SHORT);
    const response = await page.goto("/ui/executions/p.short/main/0000000000000000000000");
    assertEquals(response?.status(), 404);
    await page.getByRole("link", { name: "Search for this id" }).waitFor();
    await page.goto(`/ui/executions/${id}`);
    await page.waitForURL(`**/executions/p.short/main/${id}`);
    await waitForState(page, "SUCCESS");
  },
}, {
  name: "each tab on a large screen",
  run: async (page, server) => {
    const started = await run(server, "p.tabs", FAILING);
    for (const tab of TABS) {
      await open(page, started, tab);
      await page.locator("main :is(.card, .graph, .empty)").first().waitFor();
      await checkAccessibility(page);
      await checkWidth(page);
    }
  },
}]);
