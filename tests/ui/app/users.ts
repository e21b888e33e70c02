/** Users of stories, on a server that asks for credentials. */
import { assertEquals } from "../../support/assert.ts";
import type { Page } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";

/** The password of all users. */
export const PASSWORD = "correct:horse";

/** Options of a server with the admin `root`. */
export const WITH_ROOT = ["--basic-auth", `root:${PASSWORD}`];

/** The header `authorization` of a user. */
export function basic(user: string): string {
  return `Basic ${btoa(`${user}:${PASSWORD}`)}`;
}

/** Calls the API as `root`; an object is sent as JSON, a text as YAML. Gives the JSON of the response, if it has a body. */
export async function sendAsRoot<Result>(
  { url }: ServerProcess,
  method: string,
  path: string,
  body?: object | string,
): Promise<Result> {
  const type = typeof body === "string" ? "application/x-yaml" : "application/json";
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: basic("root"),
      ...(body !== undefined && !isForm && { "content-type": type }),
    },
    body: isForm || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  assertEquals(response.ok, true, `${method} ${path}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

/** Creates a user of all tenants. */
export async function createUser(server: ServerProcess, username: string, role: string): Promise<void> {
  await sendAsRoot(server, "POST", "/users", { username, password: PASSWORD, role });
}

/** Waits until the page knows who uses it: until then it leaves nothing out. */
export async function waitForRights(page: Page): Promise<void> {
  await page.locator("#user-menu p").waitFor({ state: "attached" });
}

/** Logs in as a user, and opens the path. */
export async function logIn(page: Page, user: string, path: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`/ui/login?from=${path}`);
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`**${path}`);
}
