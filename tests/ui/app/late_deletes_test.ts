/** Deletions whose response comes after the person has opened another page. */
import { assertEquals } from "../../support/assert.ts";
import { type Page, type PageStory, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { helloIn } from "./editing.ts";
import { runFlow, saveFlow } from "./flows.ts";
import { holdSaves } from "./held_requests.ts";
import { createNamespace } from "./views/namespaces/contents.ts";

/** How an object is deleted. */
interface Deletion {
  readonly kind: string;
  /** Creates the object; gives its page. */
  readonly create: (server: ServerProcess) => Promise<string>;
  readonly remove: (page: Page) => Promise<void>;
  /** Requests of the API that are held back. */
  readonly requests: string;
  readonly doneText: string;
}

async function confirmBy(page: Page, action: string, phrase?: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  if (phrase !== undefined) await dialog.getByRole("textbox").fill(phrase);
  await dialog.getByRole("button", { name: action, exact: true }).click();
}

const DELETIONS: readonly Deletion[] = [
  {
    kind: "an execution",
    async create(server) {
      await saveFlow(server, helloIn("late.execution"));
      return `executions/late.execution/hello/${await runFlow(server, "late.execution/hello")}`;
    },
    async remove(page) {
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await confirmBy(page, "Delete");
    },
    requests: "**/api/v1/main/executions/*",
    doneText: "The execution is deleted",
  },
  {
    kind: "a flow",
    async create(server) {
      await saveFlow(server, helloIn("late.flow"));
      return "flows/edit/late.flow/hello";
    },
    async remove(page) {
      await page.getByText("More", { exact: true }).click();
      await page.locator(".menu-items").getByText("Delete", { exact: true }).click();
      await confirmBy(page, "Delete", "hello");
    },
    requests: "**/api/v1/main/flows/late.flow/hello",
    doneText: "Deleted: hello",
  },
  {
    kind: "a namespace",
    async create(server) {
      await createNamespace(server, "late.namespace");
      return "namespaces/late.namespace/overview";
    },
    async remove(page) {
      await page.getByRole("button", { name: "Delete namespace" }).click();
      await confirmBy(page, "Delete namespace", "late.namespace");
    },
    requests: "**/api/v1/main/namespaces/late.namespace",
    doneText: "Namespace late.namespace deleted",
  },
];

stories(
  "slow deletions",
  DELETIONS.map(({ kind, create, remove, requests, doneText }): PageStory => ({
    name: `the end of a slow deletion of ${kind} leaves the page that was opened meanwhile`,
    async run(page, server) {
      await page.goto(`/ui/${await create(server)}`);
      const held = await holdSaves(page, requests);
      await remove(page);
      await held.begun;
      await page.getByRole("link", { name: "Settings" }).first().click();
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      held.release();
      await page.getByText(doneText).waitFor();
      assertEquals(new URL(page.url()).pathname, "/ui/settings");
    },
  })),
);
