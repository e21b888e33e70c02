/** Users in a browser: what an admin does with them, and what the pages show to people with less rights. */
import { assertEquals } from "../../../../support/assert.ts";
import { checkAccessibility, type Page, SIZE_NAMES, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { writeSource } from "../../editing.ts";
import { checkWidth, CORE, rowsOf } from "../../list_page.ts";
import { basic, createUser, logIn, PASSWORD, sendAsRoot, waitForRights, WITH_ROOT } from "../../users.ts";

const KEY = "0123456789abcdef";
const FLOW = `id: hello
namespace: shop
tasks: [{id: ask, type: ${CORE}flow.Pause}]
triggers:
  - {id: daily, type: ${CORE}trigger.Schedule, cron: "0 0 1 1 *"}
  - {id: hook, type: ${CORE}trigger.Webhook, key: ${KEY}}`;

const userRow = (page: Page, name: string) => rowsOf(page, "Users").filter({ hasText: name });

stories(
  "/admin/users",
  SIZE_NAMES.flatMap((size) => [
    {
      name: `an admin creates a user, changes role and password, disables and deletes it (${size})`,
      size,
      expectedErrors: /401|422/,
      async run(page, server) {
        const name = `vera-${size}`;
        await logIn(page, "root", "/ui/admin/users");
        await userRow(page, "root").getByText("An option of the server").waitFor();
        await page.getByLabel("Search").fill("missing");
        await userRow(page, "root").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Clear filters" }).click();
        await userRow(page, "root").waitFor();
        await page.getByRole("button", { name: "Create a user" }).click();
        const form = page.getByRole("dialog");
        await form.getByLabel("User name").fill(name);
        await form.getByLabel("Password").fill("short");
        await form.getByRole("button", { name: "Save" }).click();
        await form.getByRole("alert").getByText("must have 8 to 256 characters").waitFor();
        await checkAccessibility(page);
        await form.getByLabel("Password").fill(PASSWORD);
        await form.getByRole("button", { name: "Save" }).click();
        await userRow(page, name).getByText("viewer", { exact: true }).waitFor();
        await edit(page, name, async (dialog) => {
          await dialog.getByLabel("Role").selectOption("editor");
          await dialog.getByLabel("New password").fill("battery:staple");
        });
        await userRow(page, name).getByText("editor", { exact: true }).waitFor();
        assertEquals(await loginStatus(server, name, "battery:staple"), 200);
        await edit(page, name, (dialog) => dialog.getByLabel("No log-in").check());
        await userRow(page, name).getByText("No log-in").waitFor();
        assertEquals(await loginStatus(server, name, "battery:staple"), 401);
        await checkWidth(page);
        await checkAccessibility(page);
        await userRow(page, name).getByRole("button", { name: "Delete" }).click();
        const question = page.getByRole("dialog", { name: `Delete: ${name}` });
        await question.getByText("is logged out at once").waitFor();
        await question.getByRole("button", { name: "Delete" }).click();
        await userRow(page, name).waitFor({ state: "detached" });
      },
    },
    {
      name: `a viewer sees data and why nothing can be changed, and no buttons for it (${size})`,
      size,
      async run(page) {
        await logIn(page, "vic", "/ui/flows");
        await page.getByText("You can view, not change. Ask an administrator for the role editor.").waitFor();
        await page.getByRole("link", { name: "hello" }).first().waitFor();
        assertEquals(await page.getByRole("link", { name: "New flow" }).isVisible(), false);
        await checkWidth(page);
        await checkAccessibility(page);
        await page.goto("/ui/flows/edit/shop/hello");
        await page.getByRole("heading", { name: "hello" }).waitFor();
        await waitForRights(page);
        assertEquals(await page.getByRole("button", { name: /^(Run|Delete)$/ }).count(), 0);
        await page.goto("/ui/triggers");
        const toggle = page.getByRole("switch").first();
        await toggle.waitFor();
        await waitForRights(page);
        assertEquals(await toggle.isDisabled(), true);
        await page.goto("/ui/admin/users");
        await page.getByText("Only users with the role admin see this").waitFor();
        await page.goto("/ui/admin/tenants");
        await rowsOf(page, "Tenants").first().waitFor();
        await waitForRights(page);
        assertEquals(await page.getByRole("button", { name: /Create a tenant|Rename/ }).count(), 0);
        await page.goto("/ui/admin/maintenance");
        await page.getByRole("heading", { name: "Settings of the server" }).waitFor();
        await waitForRights(page);
        assertEquals(await page.getByRole("heading", { name: /Stop the work|Backups/ }).count(), 0);
      },
    },
    {
      name: `a viewer reads the source of a flow without keys of webhooks, and cannot write (${size})`,
      size,
      async run(page, server) {
        await logIn(page, "vic", "/ui/flows/edit/shop/hello/editor");
        const source = page.locator(".cm-content");
        await source.getByText('key: "••••"').waitFor();
        await page.getByRole("button", { name: "Zoom in" }).waitFor();
        await waitForRights(page);
        assertEquals(await page.getByRole("button", { name: /^(Save|Run|Test)/ }).count(), 0);
        await writeSource(page, `${FLOW}\ndescription: changed`);
        await page.keyboard.press("ControlOrMeta+s");
        await page.keyboard.press("ControlOrMeta+Enter");
        assertEquals((await source.innerText()).includes("changed"), false);
        assertEquals(await page.getByRole("dialog").count(), 0);
        await checkWidth(page);
        await page.goto("/ui/triggers?trigger=shop/hello/hook");
        await page.getByRole("dialog").getByRole("link", { name: "Open the flow" }).waitFor();
        assertEquals(await page.getByText(KEY).count(), 0);
        const present = await fetch(`${server.url}/api/v1/main/flows/shop/hello`, {
          headers: { authorization: basic("root") },
        });
        assertEquals((await present.json()).revision, 1);
      },
    },
    {
      name: `an editor changes flows, but neither users nor tenants (${size})`,
      size,
      async run(page) {
        await logIn(page, "edda", "/ui/flows/edit/shop/hello");
        await page.getByRole("button", { name: "Run", exact: true }).first().waitFor();
        await waitForRights(page);
        assertEquals(await page.getByText("You can view, not change").count(), 0);
        await page.goto("/ui/admin/users");
        await page.getByText("Only users with the role admin see this").waitFor();
        await checkAccessibility(page);
      },
    },
    {
      name: `a person changes the own password and stays logged in (${size})`,
      size,
      expectedErrors: /422/,
      async run(page, server) {
        const name = `petra-${size}`;
        await createUser(server, name, "viewer");
        await logIn(page, name, "/ui/settings");
        const change = async (old: string) => {
          await page.getByLabel("Present password").fill(old);
          await page.getByLabel("New password").fill("battery:staple");
          await page.getByRole("button", { name: "Change password" }).click();
        };
        await change("wrong-password");
        await page.getByText("oldPassword: it is not the password of the user").waitFor();
        await change(PASSWORD);
        await page.getByText("Password changed. Other devices are logged out.").waitFor();
        await checkWidth(page);
        await page.reload();
        await page.getByLabel("Present password").waitFor();
        assertEquals(await loginStatus(server, name, PASSWORD), 401);
      },
    },
  ]),
  {
    args: WITH_ROOT,
    prepare: async (server) => {
      await createUser(server, "vic", "viewer");
      await createUser(server, "edda", "editor");
      await sendAsRoot(server, "POST", "/flows", FLOW);
    },
  },
);

type Dialog = ReturnType<Page["getByRole"]>;

async function edit(page: Page, name: string, change: (dialog: Dialog) => Promise<unknown>): Promise<void> {
  await userRow(page, name).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name });
  await change(dialog);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function loginStatus({ url }: ServerProcess, username: string, password: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  await response.body?.cancel();
  return response.status;
}

stories("/admin/users of a server without a log-in", [
  {
    name: "says that there are none",
    async run(page) {
      await page.goto("/ui/admin/users");
      await page.getByText("A server without a log-in has no users").waitFor();
      await page.goto("/ui/settings");
      await page.getByLabel("Theme").waitFor();
      assertEquals(await page.getByLabel("Present password").count(), 0);
    },
  },
]);

stories("the pages of a user who may enter one tenant", [
  {
    name: "begin in that tenant",
    size: "small",
    expectedErrors: /404/,
    async run(page, server) {
      await sendAsRoot(server, "POST", "/tenants", { id: "acme", name: "Acme" });
      const user = { username: "ada", password: PASSWORD, role: "editor", tenants: ["acme"] };
      await sendAsRoot(server, "POST", "/users", user);
      await page.goto("/ui/login");
      await page.getByLabel("User name").fill("ada");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.waitForURL("**/ui/acme/");
      await page.getByText("Welcome to Sluice").waitFor();
      // What concerns all tenants is left out.
      await page.getByRole("link", { name: "Administration" }).waitFor({ state: "detached" });
      await page.goto("/ui/acme/admin/tokens");
      await page.getByText("Only users of all tenants see this").waitFor();
    },
  },
], { args: WITH_ROOT });
