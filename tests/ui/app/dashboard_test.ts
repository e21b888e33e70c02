/** The dashboard in a browser. */
import { assertEquals } from "../../support/assert.ts";
import { checkAccessibility, story, withPage } from "../../support/browser.ts";
import { runFlow, saveFlow } from "./flows.ts";

const GOOD = `id: good
namespace: shop
tasks: [{id: log, type: io.svc.plugin.core.log.Log, message: fine}]
triggers: [{id: yearly, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}]`;
const BAD = `id: bad
namespace: shop
tasks: [{id: fail, type: io.svc.plugin.core.execution.Fail}]`;

story("/: an empty server offers a flow that runs", async (server) => {
  await withPage(server, { size: "small", scheme: "dark" }, async (page) => {
    await page.goto("/ui/");
    await page.getByText("Welcome to Sluice").waitFor();
    await page.getByText(`curl -X POST ${server.url}/api/v1/main/executions/samples/first_steps`).waitFor();
    await checkAccessibility(page);
    await page.getByRole("button", { name: "Run the sample flow" }).click();
    await page.waitForURL("**/ui/executions/samples/first_steps/*");
  });
  const { results } = await server.json<{ results: { id: string }[] }>("GET", "/executions/search");
  const id = results[0]?.id;
  const ended = `${server.url}/api/v1/main/executions/${id}/follow`;
  await (await fetch(ended)).text();
  const { state, outputs } = await server.json<{ state: { current: string }; outputs: unknown }>(
    "GET",
    `/executions/${id}`,
  );
  assertEquals([state.current, outputs], ["SUCCESS", { greeted: 3 }]);
});

story("/: figures lead to the executions behind them", async (server) => {
  await saveFlow(server, GOOD);
  await saveFlow(server, BAD);
  for (const path of ["shop/good", "shop/good", "shop/good", "shop/bad"]) await runFlow(server, path);
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/?timeRange=PT1H");
    await page.getByText("75 %", { exact: true }).waitFor();
    await page.getByText("of 4 that have ended").waitFor();
    await page.getByText("yearly").waitFor();
    await page.getByText("✓ UP").waitFor();
    await checkAccessibility(page);

    await page.getByText("As a table").click();
    const times = page.getByRole("table").getByRole("link");
    const counts = await page.getByRole("table").locator("tbody tr td:last-child").allTextContents();
    assertEquals(counts.reduce((sum, count) => sum + Number(count), 0), 4);
    await times.first().click();
    await page.waitForURL("**/ui/executions?filters*");
    await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
    await page.getByText(`${counts[0]} in all`).waitFor();

    await page.goBack();
    await page.getByRole("link", { name: "shop.bad" }).click();
    await page.getByText("1 in all").waitFor();
    assertEquals(new URL(page.url()).searchParams.get("state"), "FAILED");
  });
});

story("/: a card that cannot be loaded leaves the others", async (server) => {
  await saveFlow(server, GOOD);
  await runFlow(server, "shop/good");
  await withPage(server, { expectedErrors: /500/ }, async (page) => {
    await page.route("**/stats/executions/daily", (route) => route.fulfill({ status: 500, body: "broken" }));
    await page.goto("/ui/");
    const chart = page.getByRole("region", { name: "Executions over time" });
    await chart.getByText("broken").waitFor();
    await page.getByText("yearly").waitFor();
    await page.unroute("**/stats/executions/daily");
    await chart.getByRole("button", { name: "Try again" }).click();
    await chart.getByText("As a table").waitFor();
    await page.getByText("100 %", { exact: true }).waitFor();
  });
});
