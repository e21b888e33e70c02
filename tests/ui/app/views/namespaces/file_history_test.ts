/** The history of a file, and what happens when two people change it. */
import { assertEquals } from "../../../../support/assert.ts";
import { type Page, stories } from "../../../../support/browser/browser.ts";
import { fileText, openTab, press, putFile, send, waitForText } from "./contents.ts";

const HISTORY = "?file=%2Fa.txt&view=history";
const TEXT = "?file=%2Fa.txt";
const REFUSED = /status of 412/;

/** Lets the server fail when the text of a file is read; returns the end of that. */
async function failReads(page: Page, namespace: string): Promise<() => Promise<void>> {
  const path = `**/namespaces/${namespace}/files?path=*`;
  await page.route(path, async (route) => {
    if (route.request().method() !== "GET") return await route.continue();
    await route.fulfill({ status: 500, json: { message: "Internal error" } });
  });
  return () => page.unroute(path);
}

stories("/namespaces/:id/files: history and conflicts", [
  {
    name: "a file with one revision says what its history is for",
    async run(page, server) {
      await putFile(server, "h.one", "a.txt", "one");
      await openTab(page, "h.one", "files", HISTORY);
      await page.getByText("This file has one revision").waitFor();
    },
  },
  {
    name: "revisions are listed, the newest first, and the one before is compared with the present",
    scheme: "dark",
    async run(page, server) {
      await putFile(server, "h.list", "a.txt", "one", "two", "three");
      await openTab(page, "h.list", "files", HISTORY);
      await page.getByText("Revision 3 (present)").waitFor();
      const names = await page.getByRole("list", { name: "History" }).locator("strong").allTextContents();
      assertEquals(names, ["Revision 3", "Revision 2", "Revision 1"]);
      await page.locator(".diff").getByText("two").waitFor();
      await page.locator(".diff").getByText("three").waitFor();
    },
  },
  {
    name: "a chosen revision is in the address, and the comparison of a reload is the same",
    async run(page, server) {
      await putFile(server, "h.choose", "a.txt", "one", "two", "three");
      await openTab(page, "h.choose", "files", HISTORY);
      await page.getByRole("button", { name: /^Revision 1/ }).click();
      await page.locator(".diff").getByText("one").waitFor();
      assertEquals(new URL(page.url()).searchParams.get("revision"), "1");
      await page.reload();
      await page.locator(".diff").getByText("one").waitFor();
    },
  },
  {
    name: "an earlier revision is restored as the next one",
    async run(page, server) {
      await putFile(server, "h.restore", "a.txt", "one", "two");
      await openTab(page, "h.restore", "files", HISTORY);
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await press(page, "Restore revision 1");
      await page.getByText("Restored: revision 1").waitFor();
      await page.getByRole("button", { name: /^Revision 3/ }).waitFor();
      assertEquals(await fileText(server, "h.restore", "a.txt"), "one");
      await page.getByRole("link", { name: "Text", exact: true }).click();
      await waitForText(page, "one");
    },
  },
  {
    name: "restoring is cancelled, and nothing changes",
    size: "small",
    async run(page, server) {
      await putFile(server, "h.cancel", "a.txt", "one", "two");
      await openTab(page, "h.cancel", "files", HISTORY);
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await press(page, "Cancel");
      assertEquals(await fileText(server, "h.cancel", "a.txt"), "two");
    },
  },
  {
    name: "restoring warns of changes that are not saved",
    async run(page, server) {
      await putFile(server, "h.draft", "a.txt", "one", "two");
      await openTab(page, "h.draft", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).fill("mine");
      await page.getByRole("link", { name: "History" }).click();
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await page.getByText("Your unsaved changes are lost").waitFor();
      await press(page, "Cancel");
      await page.getByRole("link", { name: "Text", exact: true }).click();
      assertEquals(await page.getByRole("textbox", { name: "a.txt" }).inputValue(), "mine");
      await page.getByRole("button", { name: "Discard changes" }).click();
    },
  },
  {
    name: "a revision is downloaded",
    async run(page, server) {
      await putFile(server, "h.load", "a.txt", "one", "two");
      await openTab(page, "h.load", "files", HISTORY);
      const link = page.getByRole("link", { name: "Download revision 1" });
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
      assertEquals(download.suggestedFilename(), "a.txt");
      assertEquals(await Deno.readTextFile(await download.path()), "one");
    },
  },
  {
    name: "revisions that are no text are not compared, but can be restored",
    async run(page, server) {
      await putFile(server, "h.binary", "a.bin", new Uint8Array([0, 1]), new Uint8Array([0, 2]));
      await openTab(page, "h.binary", "files", "?file=%2Fa.bin&view=history");
      await page.getByText("Only texts up to 1 MB are compared").waitFor();
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await press(page, "Restore revision 1");
      await page.getByRole("button", { name: /^Revision 3/ }).waitFor();
      assertEquals(await fileText(server, "h.binary", "a.bin"), "\0\x01");
    },
  },
  {
    name: "a file that somebody else saved is not overwritten; both texts are compared",
    expectedErrors: REFUSED,
    async run(page, server) {
      await putFile(server, "h.conflict", "a.txt", "one");
      await openTab(page, "h.conflict", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).fill("mine");
      await putFile(server, "h.conflict", "a.txt", "theirs");
      await page.getByRole("button", { name: /^Save/ }).click();
      const dialog = page.getByRole("dialog", { name: "a.txt was changed meanwhile: revision 2" });
      await dialog.getByText("theirs").waitFor();
      assertEquals(await fileText(server, "h.conflict", "a.txt"), "theirs");
      await press(page, "Save mine");
      await page.getByText("Saved: a.txt").waitFor();
      assertEquals(await fileText(server, "h.conflict", "a.txt"), "mine");
    },
  },
  {
    name: "a person who edits is told that somebody else has saved, before saving",
    scheme: "dark",
    async run(page, server) {
      await putFile(server, "h.told", "a.txt", "one");
      await openTab(page, "h.told", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).waitFor();
      await putFile(server, "h.told", "a.txt", "theirs");
      // The page looks at once when it becomes visible.
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await page.getByText("Somebody has saved this file meanwhile").waitFor();
      await page.getByRole("button", { name: "Compare" }).click();
      await press(page, "Discard mine");
      await waitForText(page, "theirs");
      await page.getByText("Somebody has saved this file meanwhile").waitFor({ state: "detached" });
    },
  },
  {
    name: "a comparison with what somebody else has saved says why it fails, and can be tried again",
    expectedErrors: /status of 500/,
    async run(page, server) {
      await putFile(server, "h.failing", "a.txt", "one");
      await openTab(page, "h.failing", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).waitFor();
      await putFile(server, "h.failing", "a.txt", "theirs");
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      const compare = page.getByRole("button", { name: "Compare" });
      await compare.waitFor();
      const stop = await failReads(page, "h.failing");
      await compare.click();
      await page.locator(".toast.bad", { hasText: "Internal error" }).waitFor();
      await stop();
      await compare.click();
      await page.getByRole("dialog").getByText("theirs").waitFor();
    },
  },
  {
    name: "a restored file that cannot be read says why",
    expectedErrors: /status of 500/,
    async run(page, server) {
      await putFile(server, "h.unread", "a.txt", "one", "two");
      await openTab(page, "h.unread", "files", HISTORY);
      await page.locator(".diff").getByText("two").waitFor();
      await failReads(page, "h.unread");
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await press(page, "Restore revision 1");
      await page.getByText("Restored: revision 1").waitFor();
      await page.locator(".toast.bad", { hasText: "Internal error" }).waitFor();
    },
  },
  {
    name: "in a conflict the own changes are discarded on request",
    expectedErrors: REFUSED,
    size: "small",
    async run(page, server) {
      await putFile(server, "h.discard", "a.txt", "one");
      await openTab(page, "h.discard", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).fill("mine");
      await putFile(server, "h.discard", "a.txt", "theirs");
      await page.getByRole("button", { name: /^Save/ }).click();
      await press(page, "Discard mine");
      await waitForText(page, "theirs");
    },
  },
  {
    name: "a file that was deleted meanwhile is created again",
    expectedErrors: /status of 4(?:12|04)/,
    async run(page, server) {
      await putFile(server, "h.gone", "a.txt", "one");
      await openTab(page, "h.gone", "files", TEXT);
      await page.getByRole("textbox", { name: "a.txt" }).fill("mine");
      await send(server, "DELETE", "h.gone/files?path=a.txt");
      await page.getByRole("button", { name: /^Save/ }).click();
      await page.getByRole("dialog", { name: "This file was deleted meanwhile" }).waitFor();
      await press(page, "Save mine");
      await page.getByText("Saved: a.txt").waitFor();
      assertEquals(await fileText(server, "h.gone", "a.txt"), "mine");
    },
  },
]);

const BASIC = { authorization: `Basic ${btoa("ada:a-good-password")}` };
const WRITER = `id: writer
namespace: h.authors
tasks:
  - id: make
    type: io.svc.plugin.core.storage.Write
    content: by a task
  - id: upload
    type: io.svc.plugin.core.namespace.UploadFiles
    namespace: h.authors
    files: {a.txt: "{{ outputs.make.uri }}"}
`;

stories("/namespaces/:id/files: authors", [
  {
    name: "the history names the user of a revision, or links to the execution whose task saved it",
    // Requests that still begin without the credentials of this story would be refused.
    needsOwnPage: true,
    async run(page, server) {
      const body = new FormData();
      body.append("fileContent", new File(["by a user"], "content"));
      await send(server, "POST", "h.authors/files?path=a.txt", { body, headers: BASIC });
      const headers = { ...BASIC, "content-type": "application/x-yaml" };
      await server.json("POST", "/flows", { headers, body: WRITER });
      const path = "/executions/h.authors/writer?wait=true";
      const { id } = await server.json<{ id: string }>("POST", path, { headers: BASIC });
      await page.setExtraHTTPHeaders(BASIC);
      await openTab(page, "h.authors", "files", HISTORY);
      await page.getByRole("button", { name: /^Revision 2.* · by a task$/ }).click();
      await page.getByRole("button", { name: /^Revision 1.* · ada$/ }).waitFor();
      await page.getByText("Saved by a task of execution").getByRole("link", { name: id }).click();
      await page.waitForURL(`**/executions/h.authors/writer/${id}`);
    },
  },
], { args: ["--basic-auth", "ada:a-good-password"] });
