/** The list of triggers in a browser. */
import { assertEquals, assertStringIncludes } from "../../support/assert.ts";
import { checkAccessibility, story, withPage } from "../../support/browser.ts";
import { saveFlow } from "./flows.ts";

const FLOW = `id: nightly
namespace: shop
tasks: [{id: hi, type: io.svc.plugin.core.log.Log, message: Hello}]
triggers:
  - {id: daily, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 * * *"}
  - {id: off, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 1 1 *", disabled: true}
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: a-long-key}`;

interface TriggerState {
  readonly triggerId: string;
  readonly disabled: boolean;
  readonly backfill?: { readonly paused: boolean };
}

story("/triggers: an empty server shows how a flow declares a schedule", async (server) => {
  await withPage(server, { size: "small", scheme: "dark" }, async (page) => {
    await page.goto("/ui/triggers");
    await page.getByText("There are no triggers yet").waitFor();
    assertStringIncludes(await page.locator("pre").innerText(), "trigger.Schedule");
    assertEquals(await page.title(), "Triggers · Sluice");
  });
});

story(
  "/triggers: one is disabled by its switch, several by the bar; one of the flow stays off",
  async (server) => {
    await saveFlow(server, FLOW);
    const disabled = async () => {
      const { results } = await server.json<{ results: TriggerState[] }>("GET", "/triggers/shop/nightly");
      return results.filter((each) => each.disabled).map(({ triggerId }) => triggerId).sort();
    };
    await withPage(server, {}, async (page) => {
      await page.goto("/ui/triggers?q=nightly");
      await page.getByRole("switch", { name: "Trigger hook is enabled" }).click();
      await page.getByText("Trigger hook disabled").waitFor();
      assertEquals(await disabled(), ["hook", "off"]);
      assertEquals(await page.getByRole("switch", { name: "Trigger off is enabled" }).isDisabled(), true);
      await page.getByRole("checkbox", { name: "Triggers" }).click();
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await page.getByText("Enable: 2 of 3 triggers changed").waitFor();
      assertEquals(await disabled(), ["off"]);
    });
  },
);

story(
  "/triggers?trigger=…: a webhook has its address, a schedule a backfill that can be paused and deleted",
  async (server) => {
    await saveFlow(server, FLOW);
    await withPage(server, { expectedErrors: /status of 422/ }, async (page) => {
      await page.goto("/ui/triggers");
      await page.getByRole("link", { name: "hook" }).click();
      await page.getByText(`${server.url}/api/v1/main/executions/webhook/shop/nightly/a-long-key`, {
        exact: true,
      })
        .waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.goto("/ui/triggers?trigger=shop/nightly/daily");
      await page.getByRole("button", { name: "Start a backfill" }).click();
      await checkAccessibility(page);
      const form = page.getByRole("dialog", { name: "Start a backfill" });
      await form.getByLabel("From").fill("2040-01-01T00:00");
      await form.getByRole("button", { name: "Start a backfill" }).click();
      await form.getByText("start must lie before end").waitFor();
      await form.getByLabel("From").fill("1900-06-01T00:00");
      await form.getByRole("button", { name: "Start a backfill" }).click();
      await page.getByRole("button", { name: "Pause backfill" }).click();
      await page.getByRole("button", { name: "Continue backfill" }).waitFor();
      await page.getByRole("button", { name: "Delete backfill" }).click();
      await page.getByRole("dialog", { name: "Delete backfill" }).getByRole("button", {
        name: "Delete backfill",
      }).click();
      await page.getByRole("button", { name: "Start a backfill" }).waitFor();
    });
  },
);
