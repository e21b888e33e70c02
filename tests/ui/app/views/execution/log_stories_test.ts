/** Stories of the log of an execution. */
import { assert, assertEquals } from "@std/assert";
import { checkAccessibility, type Page, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { copiedBy } from "../../copied.ts";
import { typeBefore } from "../../typed.ts";
import { open, run, type Started } from "./pages.ts";

const LOG = "io.svc.plugin.core.log.Log";
const MIXED = `
tasks:
  - {id: trace, type: ${LOG}, level: TRACE, message: a detail}
  - {id: info, type: ${LOG}, message: "\\e[32mgreen\\e[0m and \\e[1mbold\\e[0m"}
  - {id: order, type: ${LOG}, message: "order 4711 of ada"}
  - {id: warn, type: ${LOG}, level: WARN, message: it is slow}
  - {id: error, type: ${LOG}, level: ERROR, message: "order 12 is lost"}
`;
const LONG_LOG = 6_000;
const LINES = Array.from({ length: LONG_LOG / 10 }, (_, index) => `"line ${index + 1}"`);
const LONG = `
tasks:
  - id: loop
    type: io.svc.plugin.core.flow.ForEach
    values: ${JSON.stringify(Array.from({ length: 10 }, (_, index) => String(index)))}
    tasks: [{id: say, type: ${LOG}, message: [${LINES}]}]
`;

let mixed: Started;
let long: Started;

async function prepare(server: ServerProcess): Promise<void> {
  mixed = await run(server, "log.mixed", MIXED);
  long = await run(server, "log.long", LONG);
}

const lines = (page: Page) => page.locator(".log-line:not(.probe)");

/** Scrolls the log to a part of its height, from 0 to 1. */
async function scrollTo(page: Page, part: number): Promise<void> {
  await page.getByRole("log").evaluate((log, at) => log.scrollTop = log.scrollHeight * at, part);
}

stories("/executions/:id/logs", [{
  name: "the level is a filter in the address",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.getByText("4 of 5 lines").waitFor();
    await page.getByLabel("Least severe level").selectOption("WARN");
    await page.getByText("2 of 5 lines").waitFor();
    assert(page.url().endsWith("/logs?level=WARN"));
    await page.getByLabel("Least severe level").selectOption("TRACE");
    await page.getByText("5 lines", { exact: true }).waitFor();
    await page.getByText("a detail").waitFor();
  },
}, {
  name: "a text is marked where it is found, and a line keeps its number",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.getByRole("searchbox").fill("ORDER");
    await page.getByText("2 of 5 lines").waitFor();
    assertEquals(await page.locator("mark").allTextContents(), ["order", "order"]);
    assertEquals(await page.locator(".log-line .no:visible").allTextContents(), ["3", "5"]);
  },
}, {
  name: "a text that was typed last has no effect after the log is left",
  needsOwnPage: true,
  run: async (page) => {
    await page.clock.install();
    await open(page, mixed, "/logs");
    await page.getByText("4 of 5 lines").waitFor();
    await typeBefore(page, page.getByRole("searchbox"), async () => {
      await page.getByRole("link", { name: "Outputs" }).click();
    });
    assertEquals(await page.evaluate(() => location.search), "");
  },
}, {
  name: "clearing the filters gives up a text that was typed last",
  needsOwnPage: true,
  run: async (page) => {
    await page.clock.install();
    await open(page, mixed, "/logs?q=nowhere");
    const clear = page.getByRole("button", { name: "Clear filters" });
    await clear.waitFor();
    await typeBefore(page, page.getByRole("searchbox"), () => clear.click());
    assertEquals(await page.evaluate(() => location.search), "?level=TRACE");
    await page.getByText("5 lines", { exact: true }).waitFor();
  },
}, {
  name: "a regular expression finds lines; one that is not valid is a text",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.getByRole("searchbox").fill("/order \\d{4}/");
    await page.getByText("1 of 5 lines").waitFor();
    await page.getByRole("searchbox").fill("/order (/");
    await page.getByText("No line matches the filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("5 lines", { exact: true }).waitFor();
  },
}, {
  name: "lines of one task",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.getByLabel("Task", { exact: true }).selectOption("warn");
    await page.getByText("1 of 5 lines").waitFor();
    await page.getByText("it is slow").waitFor();
    assert(page.url().includes("taskId=warn"));
  },
}, {
  name: "lines of one task run, with a button that shows all again",
  run: async (page) => {
    await open(page, mixed, "/gantt");
    await page.getByRole("row", { name: "order" }).click();
    await page.getByRole("complementary").getByRole("link", { name: "Logs" }).click();
    await page.getByText("1 of 5 lines").waitFor();
    await page.getByRole("button", { name: "order" }).click();
    await page.getByText("4 of 5 lines").waitFor();
  },
}, {
  name: "colours and weights of terminals are shown, their codes are not",
  scheme: "dark",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.locator(".ansi-green", { hasText: "green" }).waitFor();
    assertEquals(
      await page.locator(".log-line", { hasText: "bold" }).locator(".text").textContent(),
      "green and bold",
    );
  },
}, {
  name: "times are those of the day, or count from the start",
  run: async (page) => {
    await open(page, mixed, "/logs");
    const time = lines(page).first().locator("time");
    await time.waitFor();
    assert(/^\d\d:\d\d:\d\d\.\d{3}$/.test(await time.textContent() ?? ""));
    await page.getByLabel("Times since the start").check();
    await lines(page).first().locator("time", { hasText: "+" }).waitFor();
    assert(page.url().includes("time=relative"));
  },
}, {
  name: "lines are wrapped, or not",
  run: async (page) => {
    await open(page, mixed, "/logs");
    await page.locator(".log-lines.wrap").waitFor();
    await page.getByLabel("Wrap lines").uncheck();
    await page.locator(".log-lines:not(.wrap)").waitFor();
    assert(page.url().includes("wrap=no"));
  },
}, {
  name: "the shown lines are copied",
  run: async (page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, mixed, "/logs?q=order");
    await page.getByText("2 of 5 lines").waitFor();
    assertEquals(
      await copiedBy(page, page.getByRole("search").getByRole("button", { name: "Copy" })),
      "order 4711 of ada\norder 12 is lost",
    );
  },
}, {
  name: "the log is downloaded with its filters",
  run: async (page) => {
    await open(page, mixed, "/logs?level=ERROR");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    assertEquals((await download).suggestedFilename(), `${mixed.id}.log`);
    const text = await (await page.request.get((await download).url())).text();
    assert(/^\S+ ERROR order 12 is lost\n$/.test(text), text);
  },
}, {
  name: "a line has an address, which marks it",
  run: async (page) => {
    await open(page, mixed, "/logs#L4");
    await page.locator("#L4.chosen", { hasText: "it is slow" }).waitFor();
    await page.getByRole("link", { name: "Line 3" }).click();
    await page.locator("#L3.chosen").waitFor();
    assert(page.url().endsWith("#L3"));
  },
}, {
  name: "a long log begins with its end; other lines come when they are looked at",
  run: async (page) => {
    const searches: string[] = [];
    page.on("request", (request) => searches.push(new URL(request.url()).pathname));
    await open(page, long, "/logs");
    await page.getByText("6,000 lines").waitFor();
    await page.locator("#L6000").waitFor();
    assert(await lines(page).count() < 200, "only visible lines are in the document");
    await scrollTo(page, 0);
    await page.locator("#L1").waitFor();
    await scrollTo(page, 0.5);
    await page.locator("#L3001").waitFor();
    await scrollTo(page, 1);
    await page.locator("#L6000").waitFor();
    assertEquals(searches.filter((path) => path.endsWith(`/logs/${long.id}`)), []);
  },
}, {
  name: "a link to a line in the middle of a long log",
  run: async (page) => {
    await open(page, long, "/logs#L2345");
    await page.locator("#L2345.chosen", { hasText: "line 545" }).waitFor();
  },
}, {
  name: "a search in a long log finds lines that were not loaded",
  run: async (page) => {
    await open(page, long, "/logs");
    await page.locator("#L6000").waitFor();
    await page.getByRole("searchbox").fill("line 599");
    await page.getByText("10 of 6,000 lines").waitFor();
  },
}, {
  name: "a long log on a small screen",
  size: "small",
  scheme: "dark",
  run: async (page) => {
    await open(page, long, "/logs");
    await page.locator("#L6000").waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(overflow <= 0, `the page is ${overflow} pixels too wide`);
  },
}, {
  name: "a running log is followed until a person scrolls away, and again by a button",
  run: async (page, server) => {
    const task = `{id: say, type: ${LOG}, message: [${LINES.slice(0, 200)}]}`;
    const nap = "{id: nap, type: io.svc.plugin.core.flow.Sleep, duration: PT1H}";
    await open(page, await run(server, "log.live", `tasks: [${task}, ${nap}]`, { waits: false }), "/logs");
    await page.locator("#L200").waitFor();
    await scrollTo(page, 0);
    await page.locator("#L1").waitFor();
    await page.getByRole("button", { name: "Follow" }).click();
    await page.locator("#L200").waitFor();
    await page.getByRole("button", { name: "Follow" }).waitFor({ state: "detached" });
  },
}, {
  name: "a running log continues after a proxy has answered for the server, and shows no line twice",
  expectedErrors: /502/,
  run: async (page, server) => {
    const tasks = [
      `{id: before, type: ${LOG}, message: ["line 1", "line 2"]}`,
      "{id: wait, type: io.svc.plugin.core.flow.Pause}",
      `{id: after, type: ${LOG}, message: "line 3"}`,
      "{id: nap, type: io.svc.plugin.core.flow.Sleep, duration: PT1H}",
    ];
    const started = await run(server, "log.proxy", `tasks: [${tasks}]`, { waits: false });
    await open(page, started, "/logs");
    await page.locator("#L2").waitFor();
    const followed = `**/logs/${started.id}/follow`;
    await page.route(followed, (route) => route.fulfill({ status: 502, body: "Bad Gateway" }));
    const refused = page.waitForResponse(followed);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await refused;
    await page.unroute(followed);
    await server.json("POST", `/executions/${started.id}/actions/resume`, { body: new FormData() });
    await page.locator("#L3", { hasText: "line 3" }).waitFor();
    const texts = await lines(page).locator(".text").allTextContents();
    assertEquals(texts.filter((text) => text.startsWith("line")), ["line 1", "line 2", "line 3"], `${texts}`);
  },
}, {
  name: "an execution without lines says so",
  run: async (page, server) => {
    await open(
      page,
      await run(server, "log.none", "tasks: [{id: x, type: io.svc.plugin.core.debug.Return}]"),
      "/logs?level=INFO",
    );
    await page.locator(".empty .title").waitFor();
    await checkAccessibility(page);
  },
}], { prepare });
