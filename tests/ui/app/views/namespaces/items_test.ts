/** KV pairs, secrets, variables and plugin defaults of a namespace. */
import { assertEquals } from "../../../../support/assert.ts";
import { type Page, type PageStory, stories } from "../../../../support/browser/browser.ts";
import { yaml } from "../../../../support/flows/request_bodies.ts";
import { runFlow, saveFlow } from "../../flows.ts";
import { afterResponse, holdResponse, holdSaves } from "../../held_requests.ts";
import { type Watch, watchFor } from "../../watch.ts";
import { createNamespace, fill, openTab, press, putPair, putSecret, send } from "./contents.ts";

/** A type of values, what a person types, and the value that the server stores. */
const TYPES: readonly (readonly [type: string, text: string, value: unknown])[] = [
  ["STRING", "42", "42"],
  ["NUMBER", "42", 42],
  ["BOOLEAN", "true", true],
  ["DATETIME", "2026-01-31T08:15:30Z", "2026-01-31T08:15:30Z"],
  ["DATE", "2026-01-31", "2026-01-31"],
  ["DURATION", "PT15M", "PT15M"],
  ["JSON", '{"a":[1,2]}', { a: [1, 2] }],
];

async function createPair(page: Page, key: string, type: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "New KV pair" }).click();
  await fill(page, "Key", key);
  await page.getByRole("dialog").getByLabel("Type").selectOption(type);
  await fill(page, "Value", value);
}

/** Tells the label of the field that has the focus as soon as an element is in the page, before the next frame. */
function focusedWith(selector: string): Watch<string | undefined> {
  const seen = new Promise<string | undefined>((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      observer.disconnect();
      resolve(document.activeElement?.closest("label")?.querySelector("span")?.textContent);
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  return { seen };
}

const PAIRS: readonly PageStory[] = [
  {
    name: "keys reach a form from the moment that it is shown",
    async run(page) {
      await openTab(page, "k.keys", "kv");
      const button = page.getByRole("button", { name: "New KV pair" });
      await button.waitFor();
      const focused = await watchFor(page, focusedWith, "dialog");
      await button.click();
      assertEquals(await focused(), "Key");
    },
  },
  {
    name: "without pairs an example says how flows read them",
    scheme: "dark",
    async run(page) {
      await openTab(page, "k.empty", "kv");
      await page.getByText("{{ kv('region') }}").waitFor();
    },
  },
  {
    name: "a pair of each type is created",
    async run(page, server) {
      await openTab(page, "k.types", "kv");
      for (const [type, text, expected] of TYPES) {
        const key = `key-${type.toLowerCase()}`;
        await createPair(page, key, type, text);
        await press(page, "Save");
        await page.getByText(`KV pair ${key} saved`).waitFor();
        const stored = await server.json<{ type: string; value: unknown }>(
          "GET",
          `/namespaces/k.types/kv/${key}`,
        );
        assertEquals([stored.type, stored.value], [type, expected]);
      }
    },
  },
  {
    name: "a new pair does not replace one that exists",
    async run(page, server) {
      await putPair(server, "k.exists", "region", "kept");
      await openTab(page, "k.exists", "kv");
      await createPair(page, "region", "NUMBER", "1");
      const focused = await watchFor(page, focusedWith, "[aria-invalid=true]");
      await press(page, "Save");
      await page.getByRole("alert").getByText("KV pair region exists already").waitFor();
      assertEquals(await focused(), "Key");
      const kept = await server.json<{ value: unknown }>("GET", "/namespaces/k.exists/kv/region");
      assertEquals(kept.value, "kept");
      await fill(page, "Key", "other");
      await press(page, "Save");
      await page.getByText("KV pair other saved").waitFor();
    },
  },
  {
    name: "a value that is not of its type is refused with an example",
    size: "small",
    async run(page) {
      await openTab(page, "k.invalid", "kv");
      await createPair(page, "k", "JSON", "{");
      await press(page, "Save");
      await page.getByRole("alert").getByText("The value is no JSON, such as").waitFor();
    },
  },
  {
    name: "a pair gets an expiry, and keeps it when it is changed",
    async run(page, server) {
      await openTab(page, "k.ttl", "kv");
      await createPair(page, "k", "STRING", "one");
      await fill(page, "Expires after", "P30D");
      await press(page, "Save");
      await page.getByText("in 30 days").or(page.getByText("in 29 days")).waitFor();
      await page.getByRole("button", { name: "Edit k" }).click();
      await fill(page, "Value", "two");
      await press(page, "Save");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const [pair] = await server.json<{ expirationDate?: string }[]>("GET", "/namespaces/k.ttl/kv");
      assertEquals(pair?.expirationDate === undefined, false);
    },
  },
  ...["Edit b", "New KV pair"].map((opened): PageStory => ({
    name: `a value that arrives late does not replace the form that was opened since: ${opened}`,
    async run(page, server) {
      const namespace = `k.late.${opened.slice(0, 3).toLowerCase()}`;
      for (const key of ["a", "b"]) await putPair(server, namespace, key, `value of ${key}`);
      await openTab(page, namespace, "kv");
      const held = await holdResponse(page, "**/kv/a");
      await page.getByRole("button", { name: "Edit a" }).click();
      await held.begun;
      await page.getByRole("button", { name: opened }).click();
      const dialog = page.getByRole("dialog", { name: opened.replace("Edit ", ""), exact: true });
      await dialog.waitFor();
      await afterResponse(page, "/kv/a", held.release);
      assertEquals(await dialog.count(), 1);
      const expected = opened === "Edit b" ? "value of b" : "";
      assertEquals(await dialog.getByLabel("Value", { exact: true }).inputValue(), expected);
    },
  })),
  {
    name: "a value is shown on request",
    async run(page, server) {
      await putPair(server, "k.show", "conf", { a: 1 });
      await openTab(page, "k.show", "kv");
      await page.getByRole("button", { name: "Show conf" }).click();
      await page.getByText('"a": 1').waitFor();
    },
  },
  {
    name: "selected pairs are deleted together",
    async run(page, server) {
      for (const key of ["a", "b", "c"]) await putPair(server, "k.bulk", key, key);
      await openTab(page, "k.bulk", "kv");
      await page.getByRole("checkbox", { name: "a", exact: true }).check();
      await page.getByRole("checkbox", { name: "b", exact: true }).check();
      await page.getByRole("button", { name: "Delete selected" }).click();
      await page.getByText("2 KV pairs and their values are deleted").waitFor();
      await press(page, "Delete");
      await page.getByText("2 of 2 KV pairs deleted").waitFor();
      const left = await server.json<{ key: string }[]>("GET", "/namespaces/k.bulk/kv");
      assertEquals(left.map(({ key }) => key), ["c"]);
    },
  },
  {
    name: "a pair that is selected while others are deleted stays selected",
    async run(page, server) {
      for (const key of ["a", "b"]) await putPair(server, "k.meanwhile", key, key);
      await openTab(page, "k.meanwhile", "kv");
      const held = await holdSaves(page, "**/namespaces/k.meanwhile/kv");
      await page.getByRole("checkbox", { name: "a", exact: true }).check();
      await page.getByRole("button", { name: "Delete selected" }).click();
      await press(page, "Delete");
      await held.begun;
      await page.getByRole("checkbox", { name: "b", exact: true }).check();
      held.release();
      await page.getByRole("checkbox", { name: "a", exact: true }).waitFor({ state: "detached" });
      await page.getByText("1 selected").waitFor();
    },
  },
  {
    name:
      "a page after the last one shows the last one; a selected pair that its own button deletes is selected no more",
    async run(page, server) {
      const keys = Array.from({ length: 51 }, (_, index) => `k${10 + index}`);
      await Promise.all(keys.map((key) => putPair(server, "k.pages", key, 1)));
      await openTab(page, "k.pages", "kv", "?page=99");
      await page.getByText("Page 2 of 2").waitFor();
      await page.getByRole("checkbox", { name: "k60" }).check();
      await page.getByText("1 selected").waitFor();
      await page.getByRole("button", { name: "Delete k60" }).click();
      await press(page, "Delete");
      await page.getByText("Page 1 of 1").waitFor();
      await page.getByRole("button", { name: "Delete k59" }).waitFor();
      assertEquals(await page.getByText("1 selected").count(), 0);
    },
  },
  {
    name: "a search without a match says so, and is cleared",
    async run(page, server) {
      await putPair(server, "k.search", "region", "eu");
      await openTab(page, "k.search", "kv", "?q=nothing");
      await page.getByText("Nothing matches the search").waitFor();
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByRole("button", { name: "Show region" }).waitFor();
    },
  },
  {
    name: "inherited pairs name their owner; one of an equal key is hidden",
    scheme: "dark",
    size: "small",
    async run(page, server) {
      await putPair(server, "k.up", "region", "eu");
      await putPair(server, "k.up", "limit", 1);
      await putPair(server, "k.up.low", "limit", 2);
      await openTab(page, "k.up.low", "kv");
      const inherited = page.getByRole("table", { name: "Inherited" });
      await inherited.getByRole("row", { name: /region.*Readable/ }).waitFor();
      await inherited.getByRole("row", { name: /limit.*Hidden/ }).waitFor();
      await inherited.getByRole("link", { name: "k.up" }).first().click();
      await page.getByRole("heading", { name: "k.up", exact: true }).waitFor();
    },
  },
];

const SECRETS: readonly PageStory[] = [
  {
    name: "a secret is created and its value is nowhere",
    async run(page) {
      await openTab(page, "s.new", "secrets");
      await page.getByRole("button", { name: "New secret" }).click();
      await fill(page, "Name", "TOKEN");
      await fill(page, "Value", "hidden-value");
      await fill(page, "Description", "Of the shop");
      await press(page, "Save");
      await page.getByText("Secret TOKEN saved").waitFor();
      await page.getByRole("cell", { name: "Of the shop" }).waitFor();
      assertEquals((await page.content()).includes("hidden-value"), false);
    },
  },
  {
    name: "a new secret does not replace one that exists",
    async run(page, server) {
      await putSecret(server, "s.exists", "TOKEN");
      await openTab(page, "s.exists", "secrets");
      await page.getByRole("button", { name: "New secret" }).click();
      await fill(page, "Name", "TOKEN");
      await fill(page, "Value", "other-value");
      await fill(page, "Description", "Of another");
      await press(page, "Save");
      await page.getByRole("alert").getByText("Secret TOKEN exists already").waitFor();
      const { results } = await server.json<{ results: { description?: string }[] }>(
        "GET",
        "/namespaces/s.exists/secrets?filters[key][EQUALS]=TOKEN",
      );
      assertEquals(results.map(({ description }) => description), [undefined]);
      await press(page, "Cancel");
      await page.getByRole("button", { name: "Replace TOKEN" }).click();
      await fill(page, "Value", "other-value");
      await press(page, "Save");
      await page.getByText("Secret TOKEN saved").waitFor();
    },
  },
  {
    name: "a secret shows when and by which flow it was last used",
    async run(page, server) {
      await putSecret(server, "s.used", "TOKEN");
      await putSecret(server, "s.used", "UNUSED");
      const format = "{{ secret('TOKEN') | length }}{{ secret('OUTSIDE') | length }}";
      const task = `{id: read, type: io.svc.plugin.core.debug.Return, format: "${format}"}`;
      await saveFlow(server, `id: report\nnamespace: s.used\ntasks: [${task}]`);
      await runFlow(server, "s.used/report");
      await openTab(page, "s.used", "secrets");
      await page.getByRole("columnheader", { name: "Last used" }).waitFor();
      for (const name of [/^TOKEN.*s\.used\.report/, /^OUTSIDE.*s\.used\.report/]) {
        await page.getByRole("row", { name }).locator("time").waitFor();
      }
      assertEquals(await page.getByRole("row", { name: /^UNUSED/ }).locator("time").count(), 0);
    },
  },
  {
    name: "a secret is deleted after its name was typed",
    async run(page, server) {
      await putSecret(server, "s.delete", "TOKEN");
      await openTab(page, "s.delete", "secrets");
      await page.getByRole("button", { name: "Delete TOKEN" }).click();
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
      assertEquals(await confirm.isDisabled(), true);
      await page.getByRole("dialog").getByRole("textbox").fill("TOKEN");
      await confirm.click();
      await page.getByText("Secret TOKEN deleted").waitFor();
    },
  },
  {
    name: "a name that the server refuses is explained in the dialog",
    expectedErrors: /status of 422/,
    size: "small",
    async run(page) {
      await openTab(page, "s.name", "secrets");
      await page.getByRole("button", { name: "New secret" }).click();
      await fill(page, "Name", "no name");
      await fill(page, "Value", "x");
      await press(page, "Save");
      await page.getByRole("dialog").getByRole("alert").waitFor();
    },
  },
  {
    name: "secrets of the environment are read only, and the page says where they are changed",
    scheme: "dark",
    async run(page) {
      await openTab(page, "s.env", "secrets");
      await page.getByText("change them where the server is started").waitFor();
      await page.getByRole("row", { name: /OUTSIDE.*Environment of the server.*Read only/ }).waitFor();
      assertEquals(await page.getByRole("button", { name: "Replace OUTSIDE" }).count(), 0);
    },
  },
  {
    name: "inherited secrets name their owner",
    async run(page, server) {
      await putSecret(server, "s.up", "TOKEN");
      await putSecret(server, "s.up", "OWN");
      await putSecret(server, "s.up.low", "OWN");
      await openTab(page, "s.up.low", "secrets");
      const inherited = page.getByRole("table", { name: "Inherited" });
      await inherited.getByRole("row", { name: /TOKEN.*s\.up.*Readable/ }).waitFor();
      await inherited.getByRole("row", { name: /OWN.*s\.up.*Hidden/ }).waitFor();
    },
  },
];

const VARIABLES: readonly PageStory[] = [
  {
    name: "inherited variables are shown with the namespace that declares them",
    async run(page, server) {
      await createNamespace(server, "v.up");
      await send(server, "PUT", "v.up/variables", yaml("region: eu"));
      await openTab(page, "v.up.low", "variables");
      await page.getByText("region: eu").waitFor();
      await page.getByRole("link", { name: "From v.up" }).click();
      await page.getByRole("heading", { name: "v.up", exact: true }).waitFor();
    },
  },
  {
    name: "without anything above the page says so",
    size: "small",
    async run(page) {
      await openTab(page, "v", "variables");
      await page.getByText("Nothing is inherited from above").waitFor();
    },
  },
  {
    name: "plugin defaults are saved, and flows of the namespaces below inherit them",
    async run(page, server) {
      await createNamespace(server, "v.defaults");
      await openTab(page, "v.defaults", "plugin-defaults");
      const editor = page.getByRole("textbox", { name: "Plugin defaults" });
      await editor.fill("- type: io.kestra.plugin.core.log.Log\n  values:\n    level: WARN");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: Plugin defaults").waitFor();
      await openTab(page, "v.defaults.low", "plugin-defaults");
      await page.getByRole("link", { name: "From v.defaults" }).waitFor();
      await page.getByText('"level": "WARN"').waitFor();
    },
  },
  {
    name: "changes that are not saved are not lost by leaving the tab",
    scheme: "dark",
    async run(page) {
      await openTab(page, "v.guard", "variables");
      await page.getByRole("textbox", { name: "Variables" }).fill("a: 1");
      page.once("dialog", (dialog) => void dialog.dismiss());
      await page.getByRole("link", { name: "Secrets" }).click();
      assertEquals(await page.getByRole("textbox", { name: "Variables" }).inputValue(), "a: 1");
      await page.getByRole("button", { name: "Discard changes" }).click();
    },
  },
];

stories("/namespaces/:id/kv, secrets, variables and plugin-defaults", [...PAIRS, ...SECRETS, ...VARIABLES], {
  env: { SECRET_OUTSIDE: "aGVsbG8=" },
});
