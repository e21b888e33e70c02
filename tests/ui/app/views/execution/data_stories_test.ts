/** Stories of what an execution shows: the Gantt chart, graph, outputs, files, metrics, waiting, and a lost connection. */
import { Buffer } from "node:buffer";
import { assert, assertEquals } from "@std/assert";
import {
  checkAccessibility,
  type Page,
  stories,
  withPageOfLocale,
} from "../../../../support/browser/browser.ts";
import { copiedBy } from "../../copied.ts";
import { saveFlow } from "../../flows.ts";
import { afterResponse } from "../../held_requests.ts";
import { tryAgain } from "../../try_again.ts";
import { open, run, stateOf, waitForState } from "./pages.ts";

const CORE = "io.svc.plugin.core";
const LOG = `${CORE}.log.Log`;
const NESTED = `
tasks:
  - id: all
    type: ${CORE}.flow.Parallel
    tasks:
      - {id: a, type: ${LOG}, message: a}
      - {id: b, type: ${LOG}, message: b}
      - {id: c, type: ${LOG}, message: c}
  - id: loop
    type: ${CORE}.flow.ForEach
    values: ["x", "y"]
    tasks: [{id: say, type: ${LOG}, message: "{{ taskrun.value }}"}]
`;
const VALUES = `
tasks:
  - {id: greet, type: ${CORE}.debug.Return, format: Hello}
  - {id: table, type: ${CORE}.storage.Write, content: "id,name\\n1,Ada\\n", extension: .csv}
`;
const NESTED_LOOPS = `
tasks:
  - id: regions
    type: ${CORE}.flow.ForEach
    values: ["eu", "us"]
    tasks:
      - id: numbers
        type: ${CORE}.flow.ForEach
        values: [1, 2]
        tasks: [{id: leaf, type: ${CORE}.debug.Return, format: "{{ parent.taskrun.value }}-{{ taskrun.value }}"}]
`;
const METRICS = `
tasks:
  - id: publish
    type: ${CORE}.metric.Publish
    metrics:
      - {name: rows, type: counter, value: 1000, tags: {table: orders}}
      - {name: rows, type: counter, value: 250, tags: {table: users}}
      - {name: load, type: timer, value: PT3.5S}
`;
const SLEEPING = `tasks: [{id: nap, type: ${CORE}.flow.Sleep, duration: PT1H}]`;
const RETRYING = `
tasks:
  - id: check
    type: ${CORE}.execution.Fail
    retry: {type: constant, interval: INTERVAL, maxAttempts: 3}
`;
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** Each file with what its preview shows. */
const FILES: readonly (readonly [name: string, content: string, shown: (page: Page) => Promise<void>])[] = [
  ["a.csv", 'id,name\n1,"Ada, Countess"\n', async (page) => {
    await page.getByRole("dialog").getByRole("cell", { name: "Ada, Countess" }).waitFor();
  }],
  ["b.json", '{"name":"Grace"}', async (page) => {
    await page.getByRole("dialog").getByText('"name": "Grace"').waitFor();
  }],
  ["c.ion", '{id:1,name:"Edith"}\n{id:2,name:"Joan"}\n', async (page) => {
    await page.getByRole("dialog").getByRole("cell", { name: "Joan" }).waitFor();
  }],
  ["d.txt", "plain text", async (page) => {
    await page.getByRole("dialog").getByText("plain text").waitFor();
  }],
  ["e.png", atob(PNG), async (page) => {
    const image = page.getByRole("dialog").getByRole("img", { name: "Image of the file" });
    await image.waitFor();
    assertEquals(await image.evaluate((each) => (each as HTMLImageElement).naturalWidth), 1);
  }],
];

stories("/executions/:id views", [{
  name: "gantt: loops and parallel tasks fold and unfold in place",
  run: async (page, server) => {
    await open(page, await run(server, "v.nested", NESTED), "/gantt");
    await page.getByText("7 rows").waitFor();
    const loop = page.getByRole("row", { name: "loop" });
    assertEquals(await loop.getAttribute("aria-expanded"), "true");
    await loop.getByRole("button", { name: "Fold" }).click();
    await page.getByText("5 rows").waitFor();
    await loop.getByRole("button", { name: "Unfold" }).click();
    await page.getByText("7 rows").waitFor();
    const levels = await page.getByRole("row").evaluateAll((rows) => rows.map((row) => row.ariaLevel));
    assertEquals(levels, ["1", "2", "2", "2", "1", "2", "2"]);
  },
}, {
  name: "gantt: a child execution unfolds in place, and both link to each other",
  run: async (page, server) => {
    await saveFlow(server, `id: child\nnamespace: v.parent\n${VALUES}`);
    const subflow = `{id: call, type: ${CORE}.flow.Subflow, namespace: v.parent, flowId: child, wait: true}`;
    const parent = await run(server, "v.parent", `tasks: [${subflow}]`);
    await open(page, parent, "/gantt");
    await page.getByRole("row", { name: "call" }).getByRole("button", { name: "Unfold" }).click();
    await page.getByRole("row", { name: "greet" }).click();
    await page.getByRole("complementary").getByRole("link", { name: "Open the execution" }).click();
    await page.getByRole("heading", { level: 1, name: "child" }).waitFor();
    await page.locator(".facts").getByRole("link", { name: parent.id }).click();
    await page.getByRole("heading", { level: 1, name: "main" }).waitFor();
    await page.getByRole("region", { name: "Executions started by this one" })
      .or(page.locator("section", { hasText: "Executions started by this one" })).first().waitFor();
  },
}, {
  name: "gantt: the keyboard moves, unfolds, closes",
  run: async (page, server) => {
    await open(page, await run(server, "v.keys", NESTED), "/gantt");
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "all" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("4 rows").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByText("7 rows").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
  },
}, {
  name: "gantt: zoom is in the address",
  size: "small",
  run: async (page, server) => {
    await open(page, await run(server, "v.zoom", NESTED), "/gantt?zoom=4&at=0.25");
    await page.getByRole("slider", { name: "Position in time" }).waitFor();
    await page.getByRole("button", { name: "Fit" }).click();
    await page.getByRole("slider").waitFor({ state: "detached" });
    assertEquals(new URL(page.url()).search, "");
  },
}, {
  name: "gantt: the attempts of a task",
  run: async (page, server) => {
    const failed = await run(server, "v.attempts", RETRYING.replace("INTERVAL", "PT0.01S"));
    await open(page, failed);
    await page.getByText("after 3 attempts").waitFor();
    await page.getByRole("link", { name: "Show task" }).click();
    const panel = page.getByRole("complementary", { name: "check" });
    await panel.getByRole("heading", { name: "Attempts" }).waitFor();
    assertEquals(await panel.getByRole("list").last().getByRole("listitem").count(), 3);
  },
}, {
  name: "gantt: 10,000 task runs, of which only the visible ones are in the document",
  run: async (page, server) => {
    const tasks = [
      `tasks: [{id: loop, type: ${CORE}.flow.ForEach, concurrencyLimit: 0, values: "{{ range(1, 9999) }}",`,
      `tasks: [{id: say, type: ${CORE}.debug.Return, format: x}]}]`,
    ];
    await open(page, await run(server, "v.many", tasks.join(" ")), "/gantt");
    await page.getByRole("button", { name: "Unfold" }).click();
    await page.getByText("10000 rows").waitFor();
    await page.getByRole("treegrid").evaluate((grid) => grid.scrollTop = grid.scrollHeight);
    await page.getByRole("row", { name: "9999" }).waitFor();
    assert(await page.getByRole("row").count() < 100);
  },
}, {
  name: "overview: many task runs are counted at once, and one that failed is named though it comes late",
  run: async (page, server) => {
    const fails = `{id: last, type: ${CORE}.execution.Fail, condition: "{{ taskrun.value == '150' }}"}`;
    const values = Array.from({ length: 150 }, (_, index) => index + 1);
    const loop = `{id: loop, type: ${CORE}.flow.ForEach, values: '${
      JSON.stringify(values)
    }', tasks: [${fails}]}`;
    const responses: (string | null)[] = [];
    page.on("response", (response) => {
      const { pathname, searchParams } = new URL(response.url());
      if (/\/executions\/\w{22}$/.test(pathname) && pathname.startsWith("/api")) {
        responses.push(searchParams.get("maxTaskRuns"));
      }
    });
    await open(page, await run(server, "v.late", `tasks: [${loop}]`));
    await page.getByRole("link", { name: "All 151 task runs" }).waitFor();
    await page.getByText("Failed in task last (150)").waitFor();
    assertEquals(responses, ["100", null]);
  },
}, {
  name: "topology: states, parallel tasks in the declared order, and a list with the same",
  scheme: "dark",
  run: async (page, server) => {
    await open(page, await run(server, "v.graph", NESTED), "/topology");
    const node = (id: string) => page.locator(".node", { hasText: id });
    await node("loop").getByText("SUCCESS").waitFor();
    const lefts = [];
    for (const id of ["a", "b", "c"]) {
      const box = await page.locator(".node", { has: page.getByText(id, { exact: true }) }).boundingBox();
      lefts.push(box?.x ?? 0);
    }
    assertEquals(lefts, lefts.toSorted((one, other) => one - other));
    await page.getByText("Graph as a list").click();
    const items = page.locator(".graph-list li");
    assertEquals(await items.count(), 7);
    assert((await items.first().textContent() ?? "").includes("→ a, b, c"));
  },
}, {
  name: "topology: a task of a large graph is chosen by the keyboard, and its panel opens",
  run: async (page, server) => {
    const ids = Array.from({ length: 500 }, (_, index) => `t${index}`);
    const started = await run(
      server,
      "v.large",
      `tasks:\n${ids.map((id) => `  - {id: ${id}, type: ${LOG}, message: m}\n`).join("")}`,
    );
    await open(page, started, "/topology");
    await page.locator(".node").last().waitFor();
    await page.locator(".graph-frame").focus();
    for (const key of ["Tab", "End", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("complementary", { name: "t498" }).waitFor();
  },
}, {
  name: "outputs: a good and a bad expression",
  expectedErrors: /422|400/,
  run: async (page, server) => {
    await open(page, await run(server, "v.eval", VALUES), "/outputs");
    await page.getByLabel("Evaluate an expression").fill("{{ outputs.greet | length }} task");
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 task").waitFor();
    await page.getByLabel("Evaluate an expression").fill("{{ outputs.missing.value }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await page.locator(".evaluation .notice.bad").waitFor();
  },
}, {
  name: "outputs: the last evaluation is shown, whichever response comes last",
  run: async (page, server) => {
    await open(page, await run(server, "v.order", VALUES), "/outputs");
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route("**/actions/eval*", async (route) => {
      held.resolve();
      await released.promise;
      await route.continue();
    }, { times: 1 });
    const expression = page.getByLabel("Evaluate an expression");
    const result = page.locator(".evaluation pre");
    await expression.fill("{{ 1 + 1 }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await held.promise;
    await expression.fill("{{ 5 + 5 }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await result.getByText("10", { exact: true }).waitFor();
    await afterResponse(page, "/actions/eval", () => released.resolve());
    assertEquals(await result.innerText(), "10");
  },
}, {
  name: "outputs: those of nested loops are told apart, and the suggested expression follows the choice",
  run: async (page, server) => {
    const started = await run(server, "v.loops", NESTED_LOOPS);
    await open(page, started, "/outputs");
    const expression = page.getByLabel("Evaluate an expression");
    const evaluated = (text: string) => page.locator(".evaluation pre", { hasText: text });
    await page.getByRole("button", { name: "leaf (eu, 1)" }).click();
    await page.getByRole("heading", { name: "leaf (eu, 1)" }).waitFor();
    assertEquals(await expression.inputValue(), "{{ outputs.leaf.eu['1'] }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await evaluated("eu-1").waitFor();
    await page.getByRole("button", { name: "leaf (us, 2)" }).click();
    await evaluated("eu-1").waitFor({ state: "detached" });
    assertEquals(await expression.inputValue(), "{{ outputs.leaf.us['2'] }}");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await evaluated("us-2").waitFor();
    await expression.fill("{{ 1 + 1 }}");
    await page.getByRole("button", { name: "leaf (us, 1)" }).click();
    await evaluated("us-2").waitFor({ state: "detached" });
    assertEquals(await expression.inputValue(), "{{ 1 + 1 }}");
    await open(page, started, `/gantt${new URL(page.url()).search}`);
    await page.getByRole("complementary", { name: "leaf (us, 1)" }).waitFor();
  },
}, {
  name: "outputs: a file is downloaded, an expression is copied",
  run: async (page, server) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, await run(server, "v.download", VALUES), "/outputs");
    await page.getByRole("button", { name: "table" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".file-link").getByRole("link", { name: "Download" }).click(),
    ]);
    assert(download.suggestedFilename().endsWith(".csv"));
    const copied = await copiedBy(page, page.getByRole("button", { name: "Copy expression" }).first());
    assert(/^\{\{ outputs\.table\.\w+ \}\}$/.test(copied), copied);
  },
}, {
  name: "files: previews of CSV, JSON, Ion, text and images",
  run: async (page, server) => {
    const ids = FILES.map(([name]) => name.slice(0, 1));
    const inputs = Object.fromEntries(FILES.map(([name, content]) => [
      name.slice(0, 1),
      new File([Buffer.from(content, "latin1")], name),
    ]));
    const declared = ids.map((id) => `{id: ${id}, type: FILE}`);
    await open(page, await run(server, "v.files", `inputs: [${declared}]\n${VALUES}`, { inputs }));
    for (const [name, , shown] of FILES) {
      await page.locator(".file-link", { hasText: name }).getByRole("button", { name: "Preview" }).click();
      await shown(page);
      await checkAccessibility(page);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  },
}, {
  name: "metrics: values with bars, sorted by a column, or a hint",
  run: async (page, server) => {
    await open(page, await run(server, "v.metrics", METRICS), "/metrics");
    await page.getByRole("table").getByText("1,000").waitFor();
    assertEquals(await page.locator(".metric-bar").count(), 2);
    await page.getByRole("button", { name: "Value" }).click();
    await page.locator("th[aria-sort]", { hasText: "Value" }).waitFor();
    assert(page.url().includes("sort=value"));
    await open(page, await run(server, "v.nometrics", NESTED), "/metrics");
    await page.getByText("No metrics").waitFor();
  },
}, {
  name: "an execution that waits for its next attempt says so",
  run: async (page, server) => {
    await open(page, await run(server, "v.retry", RETRYING.replace("INTERVAL", "PT1H"), { waits: false }));
    await page.getByText("Task check failed and waits for its next attempt").waitFor();
  },
}, {
  name: "an execution that waits for its child links to it",
  run: async (page, server) => {
    await saveFlow(server, `id: child\nnamespace: v.waits\n${SLEEPING}`);
    const subflow = `{id: call, type: ${CORE}.flow.Subflow, namespace: v.waits, flowId: child, wait: true}`;
    await open(page, await run(server, "v.waits", `tasks: [${subflow}]`, { waits: false }));
    const waiting = page.getByRole("status", { name: "What it waits for" });
    await waiting.getByText("Task call waits for the end of execution").waitFor();
    await waiting.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "child" }).waitFor();
  },
}, {
  name: "the page follows an execution to its end",
  run: async (page, server) => {
    const started = await run(server, "v.live", `tasks: [{id: ask, type: ${CORE}.flow.Pause}]`, {
      waits: false,
    });
    await open(page, started, "/gantt");
    await waitForState(page, "PAUSED");
    await server.json("POST", `/executions/${started.id}/actions/resume`, { body: new FormData() });
    await waitForState(page, "SUCCESS");
    await page.getByRole("row", { name: "ask" }).getByText("SUCCESS").waitFor();
  },
}, {
  name: "a lost connection says so, keeps the data, and recovers",
  expectedErrors: /ERR_FAILED|Failed to load resource/,
  run: async (page, server) => {
    const started = await run(server, "v.lost", SLEEPING, { waits: false });
    // The open stream continues: the page is hidden and shown, which opens another one.
    await open(page, started, "/gantt");
    await page.route(
      `**/executions/${started.id}**`,
      (route) => route.request().resourceType() === "document" ? route.continue() : route.abort(),
    );
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("The connection is lost. Reconnecting…").waitFor();
    await page.getByRole("row", { name: "nap" }).waitFor();
    await checkAccessibility(page);
    await server.json("POST", `/executions/${started.id}/actions/kill`);
    await page.unroute(`**/executions/${started.id}**`);
    await waitForState(page, "KILLED");
    await page.getByText("The connection is lost").waitFor({ state: "detached" });
  },
}, {
  name: "a server that is away at first is tried again",
  expectedErrors: /ERR_FAILED|Failed to load resource/,
  run: async (page, server) => {
    const started = await run(server, "v.away", VALUES);
    const path = `**/api/v1/main/executions/${started.id}**`;
    await page.route(path, (route) => route.abort());
    await page.goto(`/ui/executions/v.away/main/${started.id}`);
    await page.getByRole("alert").waitFor();
    await page.unroute(path);
    await tryAgain(page.locator("main"), stateOf(page, "SUCCESS"));
  },
}, {
  name: "durations have the decimal separator of the browser",
  run: async (page, server) => {
    const started = await run(server, "v.locale", METRICS);
    await withPageOfLocale("de-DE", page, server, async (german) => {
      await open(german, started, "/metrics");
      await german.getByText("3,50 s").waitFor();
    });
  },
}, {
  name: "each tab on a small screen",
  size: "small",
  scheme: "dark",
  run: async (page, server) => {
    const namespace = "v.small.company.department.team.project_with_a_long_name";
    const started = await run(server, namespace, `${METRICS}${NESTED.replace("\ntasks:\n", "")}`);
    for (const tab of ["", "/gantt", "/logs", "/topology", "/outputs", "/metrics"]) {
      await open(page, started, tab);
      await page.locator("main :is(.card, .graph, .empty, .table)").first().waitFor();
      await checkAccessibility(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert(overflow <= 0, `the tab "${tab}" is ${overflow} pixels too wide`);
    }
  },
}]);
