/** Users in a browser: what an admin does with them, and what the pages show to people with less rights. */
import { assertEquals } from "../../../../support/assert.ts";
import { checkAccessibility, type Page, SIZE_NAMES, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { writeSource } from "../../editing.ts";
import { checkWidth, CORE, rowsOf } from "../../list_page.ts";

const PASSWORD = "correct:horse";
const ARGS = ["--basic-auth", `root:${PASSWORD}`];
const FORBIDDEN = /403|Forbidden/;
const FLOW = `id: hello
namespace: shop
tasks: [{id: ask, type: ${CORE}flow.Pause}]
triggers: [{id: daily, type: ${CORE}trigger.Schedule, cron: "0 0 1 1 *"}]`;

const basic = (user: string) => `Basic ${btoa(`${user}:${PASSWORD}`)}`;

/** Calls the API as the configured user. */
async function send(
  server: ServerProcess,
  method: string,
  path: string,
  body?: object | string,
): Promise<void> {
  const type = typeof body === "string" ? "application/x-yaml" : "application/json";
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: basic("root"), ...(body !== undefined && { "content-type": type }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  assertEquals(response.ok, true, `${method} ${path}: ${await response.text()}`);
}

async function createUser(server: ServerProcess, username: string, role: string): Promise<void> {
  await send(server, "POST", "/users", { username, password: PASSWORD, role });
}

async function logIn(page: Page, user: string, path: string, password = PASSWORD): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`/ui/login?from=${path}`);
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`**${path}`);
}

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
      expectedErrors: FORBIDDEN,
      async run(page) {
        await logIn(page, "vic", "/ui/flows");
        await page.getByText("Your role is viewer: you may read, but change nothing.").waitFor();
        await page.getByRole("link", { name: "hello" }).first().waitFor();
        assertEquals(await page.getByRole("link", { name: "New flow" }).isVisible(), false);
        await checkWidth(page);
        await checkAccessibility(page);
        await page.goto("/ui/flows/edit/shop/hello");
        await page.getByRole("heading", { name: "hello" }).waitFor();
        assertEquals(await page.getByRole("button", { name: /^(Run|Delete)$/ }).count(), 0);
        await page.goto("/ui/triggers");
        const toggle = page.getByRole("switch").first();
        await toggle.waitFor();
        assertEquals(await toggle.isDisabled(), true);
        await page.goto("/ui/admin/users");
        await page.getByText("Only users with the role admin see this").waitFor();
        await page.goto("/ui/admin/tenants");
        await rowsOf(page, "Tenants").first().waitFor();
        assertEquals(await page.getByRole("button", { name: /Create a tenant|Rename/ }).count(), 0);
        await page.goto("/ui/admin/maintenance");
        await page.getByRole("heading", { name: "Stop the work" }).waitFor();
        assertEquals(await page.getByRole("button", { name: "Remove old executions" }).count(), 0);
      },
    },
    {
      name: `the server refuses what a viewer sends all the same, and the page says so (${size})`,
      size,
      expectedErrors: FORBIDDEN,
      async run(page, server) {
        await logIn(page, "vic", "/ui/flows/edit/shop/hello/editor");
        await page.getByText("✓ Valid").waitFor();
        await writeSource(page, `${FLOW}\ndescription: changed`);
        await page.keyboard.press("ControlOrMeta+s");
        await page.getByText('this needs the role "editor"; the caller has "viewer"').waitFor();
        const present = await fetch(`${server.url}/api/v1/flows/shop/hello`, {
          headers: { authorization: basic("root") },
        });
        const { revision, description } = await present.json();
        assertEquals([revision, description], [1, undefined]);
      },
    },
    {
      name: `an editor changes flows, but neither users nor tenants (${size})`,
      size,
      async run(page) {
        await logIn(page, "edda", "/ui/flows/edit/shop/hello");
        await page.getByRole("button", { name: "Run", exact: true }).first().waitFor();
        assertEquals(await page.getByText("Your role is viewer").count(), 0);
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
    args: ARGS,
    prepare: async (server) => {
      await createUser(server, "vic", "viewer");
      await createUser(server, "edda", "editor");
      await send(server, "POST", "/flows", FLOW);
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
      await send(server, "POST", "/tenants", { id: "acme", name: "Acme" });
      const user = { username: "ada", password: PASSWORD, role: "editor", tenants: ["acme"] };
      await send(server, "POST", "/users", user);
      await page.goto("/ui/login");
      await page.getByLabel("User name").fill("ada");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.waitForURL("**/ui/acme/");
      await page.getByText("Welcome to Sluice").waitFor();
    },
  },
], { args: ARGS });
