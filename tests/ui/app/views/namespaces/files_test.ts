/** Files of a namespace: tree, search, editor, uploads, previews. */
import { Buffer } from "node:buffer";
import { assertEquals } from "../../../../support/assert.ts";
import { type Page, type PageStory, stories } from "../../../../support/browser/browser.ts";
import { withTempDir } from "../../../../support/temp_dir.ts";
import { afterResponse, holdResponse, holdSaves } from "../../held_requests.ts";
import { fileText, fill, openTab, press, putFile, waitForText } from "./contents.ts";

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Drops files onto the tab, as the file manager of the system does. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const transfer = await page.evaluateHandle((contents) => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) data.items.add(new File([text], name));
    return data;
  }, files);
  await page.dispatchEvent(".drop", "drop", { dataTransfer: transfer });
}

/** What takes the file `a.txt` away, and what says so. */
const LATE = [
  {
    action: "deletion",
    async begin(page: Page) {
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await press(page, "Delete");
    },
    doneText: "Deleted: /a.txt",
  },
  {
    action: "move by a dialog that is closed",
    async begin(page: Page) {
      await page.getByRole("button", { name: "Rename or move" }).click();
      await fill(page, "Path", "/c.txt");
      await press(page, "Save");
    },
    doneText: "c.txt",
  },
  {
    action: "move by dragging",
    async begin(page: Page) {
      await page.getByRole("link", { name: "a.txt" }).dragTo(page.getByRole("link", { name: "lib/" }));
    },
    doneText: "Moved to /lib/a.txt",
  },
];
const LATE_STORIES = LATE.map(({ action, begin, doneText }, index): PageStory => ({
  name: `the end of a slow ${action} leaves the file that was opened meanwhile, and what was typed in it`,
  async run(page, server) {
    const namespace = `f.slow${index}`;
    for (const path of ["a.txt", "b.txt", "lib/d.txt"]) await putFile(server, namespace, path, "stored");
    await openTab(page, namespace, "files", "?file=%2Fa.txt");
    await page.getByRole("textbox", { name: "a.txt" }).waitFor();
    const held = await holdSaves(page, `**/namespaces/${namespace}/files?*`);
    await begin(page);
    await held.begun;
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "b.txt" }).click();
    const editor = page.getByRole("textbox", { name: "b.txt" });
    await editor.fill("mine");
    held.release();
    await page.getByText(doneText).waitFor();
    assertEquals(await editor.inputValue(), "mine");
    assertEquals(new URL(page.url()).searchParams.get("file"), "/b.txt");
    await page.getByRole("button", { name: "Discard changes" }).click();
  },
}));

stories("/namespaces/:id/files", [
  ...LATE_STORIES,
  {
    name: "what is typed while another file is moved is not left without a question",
    async run(page, server) {
      for (const path of ["a.txt", "b.txt", "lib/d.txt"]) await putFile(server, "f.typing", path, "stored");
      await openTab(page, "f.typing", "files", "?file=%2Fa.txt");
      const editor = page.getByRole("textbox", { name: "a.txt" });
      await editor.waitFor();
      const held = await holdSaves(page, "**/namespaces/f.typing/files?*");
      await page.getByRole("link", { name: "b.txt" }).dragTo(page.getByRole("link", { name: "lib/" }));
      await held.begun;
      await editor.fill("mine");
      const asked = page.waitForEvent("dialog");
      held.release();
      await (await asked).dismiss();
      await page.getByText("Moved to /lib/b.txt").waitFor();
      assertEquals(await editor.inputValue(), "mine");
      await page.getByRole("button", { name: "Discard changes" }).click();
    },
  },
  {
    name: "without files the page says how flows read them",
    async run(page) {
      await openTab(page, "f.empty", "files");
      await page.getByText("{{ read('main.py') }}").waitFor();
    },
  },
  {
    name: "a new file is created in a new folder and edited by the keyboard alone",
    async run(page, server) {
      await openTab(page, "f.keys", "files");
      await page.getByRole("button", { name: "New file" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.getByLabel("Path").focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("scripts/main.py");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "/scripts/main.py" }).waitFor();
      const editor = page.getByRole("textbox", { name: "main.py" });
      await editor.waitFor();
      for (let n = 0; n < 60 && !await editor.evaluate((it) => it === document.activeElement); n++) {
        await page.keyboard.press("Tab");
      }
      await page.keyboard.type("print(1)");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved: main.py").waitFor();
      assertEquals(await fileText(server, "f.keys", "scripts/main.py"), "print(1)");
    },
  },
  {
    name: "saving twice is no conflict, and saves what was typed meanwhile",
    async run(page, server) {
      await putFile(server, "f.twice", "a.txt", "a");
      await openTab(page, "f.twice", "files", "?file=%2Fa.txt");
      const editor = page.getByRole("textbox", { name: "a.txt" });
      const held = await holdSaves(page, "**/namespaces/f.twice/files?path=*");
      await editor.fill("b");
      await page.keyboard.press("Control+s");
      await held.begun;
      await page.keyboard.press("Control+s");
      await editor.fill("c");
      await page.keyboard.press("Control+s");
      held.release();
      await page.getByText("revision 3").waitFor();
      await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
      assertEquals([held.count(), await page.getByRole("dialog").count()], [2, 0]);
      assertEquals(await fileText(server, "f.twice", "a.txt"), "c");
    },
  },
  {
    name: "a new file does not replace one that exists",
    expectedErrors: /status of 412/,
    async run(page, server) {
      await putFile(server, "f.exists", "a.txt", "kept");
      await openTab(page, "f.exists", "files");
      await page.getByRole("button", { name: "New file" }).click();
      await fill(page, "Path", "/a.txt");
      await press(page, "Save");
      await page.getByText("no such file was expected").waitFor();
      assertEquals(await fileText(server, "f.exists", "a.txt"), "kept");
    },
  },
  {
    name: "changes that are not saved are not lost by opening another file",
    async run(page, server) {
      await putFile(server, "f.guard", "a.txt", "a");
      await putFile(server, "f.guard", "b.txt", "b");
      await openTab(page, "f.guard", "files", "?file=%2Fa.txt");
      await page.getByRole("textbox", { name: "a.txt" }).fill("mine");
      const messages: string[] = [];
      page.once("dialog", (dialog) => (messages.push(dialog.message()), void dialog.dismiss()));
      await page.getByRole("link", { name: "b.txt" }).click();
      assertEquals(messages, ["Changes are not saved. Leave anyway?"]);
      assertEquals(await page.getByRole("textbox", { name: "a.txt" }).inputValue(), "mine");
      await page.getByRole("button", { name: "Discard changes" }).click();
      await waitForText(page, "a");
    },
  },
  {
    name: "dropped files are uploaded into the open folder",
    async run(page, server) {
      await putFile(server, "f.drop", "data/a.txt", "a");
      await openTab(page, "f.drop", "files", "?file=%2Fdata%2F");
      await page.getByText("New files and uploads go into this folder").waitFor();
      await drop(page, { "b.txt": "b", "c.txt": "c" });
      await page.getByText("Uploaded: 2 files").waitFor();
      await page.getByRole("link", { name: "c.txt" }).waitFor();
      assertEquals(await fileText(server, "f.drop", "data/b.txt"), "b");
    },
  },
  {
    name: "an upload over a file asks first, and keeps the content before in the history",
    async run(page, server) {
      await putFile(server, "f.replace", "a.txt", "before");
      await openTab(page, "f.replace", "files");
      await page.getByRole("link", { name: "a.txt" }).waitFor();
      await drop(page, { "a.txt": "after" });
      await page.getByText("These files exist: a.txt").waitFor();
      await press(page, "Replace");
      await page.getByText("Uploaded: a.txt").waitFor();
      assertEquals(await fileText(server, "f.replace", "a.txt"), "after");
      const revisions = await server.json<unknown[]>(
        "GET",
        "/namespaces/f.replace/files/revisions?path=a.txt",
      );
      assertEquals(revisions.length, 2);
    },
  },
  {
    name: "a folder is uploaded with its subfolders",
    async run(page, server) {
      await openTab(page, "f.folder", "files");
      await withTempDir(async (dir) => {
        await Deno.mkdir(`${dir}/project/sub`, { recursive: true });
        await Deno.writeTextFile(`${dir}/project/sub/a.txt`, "deep");
        await Deno.writeTextFile(`${dir}/project/b.txt`, "b");
        await page.getByLabel("Upload a folder").setInputFiles(`${dir}/project`);
        await page.getByText("Uploaded: 2 files").waitFor();
      });
      assertEquals(await fileText(server, "f.folder", "project/sub/a.txt"), "deep");
    },
  },
  {
    name: "a zip is unpacked",
    async run(page, server) {
      const { zipSync } = await import("fflate");
      await openTab(page, "f.zip", "files");
      const buffer = Buffer.from(zipSync({ "in/a.txt": new TextEncoder().encode("zipped") }));
      await page.getByLabel("Upload to /").setInputFiles({
        name: "all.zip",
        mimeType: "application/zip",
        buffer,
      });
      await page.getByText("Uploaded: all.zip").waitFor();
      await page.getByRole("link", { name: "in/" }).waitFor();
      assertEquals(await fileText(server, "f.zip", "in/a.txt"), "zipped");
    },
  },
  {
    name: "an upload that the server refuses says why beside its file; the others are stored",
    expectedErrors: /status of 422/,
    async run(page, server) {
      await openTab(page, "f.refused", "files");
      await page.getByText("Choose a file").waitFor();
      await drop(page, { "bad.zip": "this is no zip", "good.txt": "good" });
      await page.getByText("bad.zip: Illegal argument: the zip is refused").waitFor();
      await page.getByText("Uploaded: good.txt").or(page.getByText("Uploaded: bad.zip")).waitFor();
      assertEquals(await fileText(server, "f.refused", "good.txt"), "good");
      await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
    },
  },
  {
    name:
      "a file is renamed with its history, and not looked for between its move and the change of the address",
    size: "small",
    scheme: "dark",
    needsOwnPage: true,
    async run(page, server) {
      await page.clock.install();
      await page.route("**/files?from=*", async (route) => {
        const response = await route.fetch();
        // Longer than the interval at which an open file is looked for.
        await page.clock.runFor(15_000);
        await route.fulfill({ response });
      });
      await putFile(server, "f.move", "a.txt", "one", "two");
      await openTab(page, "f.move", "files", "?file=%2Fa.txt");
      await page.getByRole("button", { name: "Rename or move" }).click();
      await fill(page, "Path", "/lib/b.txt");
      await press(page, "Save");
      await page.getByRole("heading", { name: "/lib/b.txt" }).waitFor();
      // The list of files above it is loaded again: a pointer could miss the link.
      await page.getByRole("link", { name: "History" }).press("Enter");
      await page.getByRole("button", { name: /^Revision 1/ }).waitFor();
    },
  },
  {
    name: "a file with changes that are not saved is moved only if the person gives them up, and asked once",
    async run(page, server) {
      await putFile(server, "f.unsaved", "a.txt", "a");
      await openTab(page, "f.unsaved", "files", "?file=%2Fa.txt");
      const editor = page.getByRole("textbox", { name: "a.txt" });
      await editor.fill("mine");
      const move = async (answer: "accept" | "dismiss") => {
        page.once("dialog", (dialog) => void dialog[answer]());
        await page.getByRole("button", { name: "Rename or move" }).click();
        await fill(page, "Path", "/b.txt");
        await press(page, "Save");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      };
      await move("dismiss");
      assertEquals(await editor.inputValue(), "mine");
      assertEquals(await fileText(server, "f.unsaved", "a.txt"), "a");
      await move("accept");
      await page.getByRole("heading", { name: "/b.txt" }).waitFor();
      assertEquals(await fileText(server, "f.unsaved", "b.txt"), "a");
    },
  },
  {
    name: "a look for a file is given up when the file is moved meanwhile",
    needsOwnPage: true,
    async run(page, server) {
      const [begun, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isLate = false;
      await page.clock.install();
      await page.route("**/files/stats?*", async (route) => {
        if (isLate) {
          begun.resolve();
          await moved.promise;
        }
        await route.continue();
      });
      await page.route("**/files?from=*", async (route) => {
        const response = await route.fetch();
        isLate = false;
        moved.resolve();
        await route.fulfill({ response });
      });
      await putFile(server, "f.late", "a.txt", "one", "two");
      await openTab(page, "f.late", "files", "?file=%2Fa.txt");
      await page.getByRole("link", { name: "History" }).waitFor();
      await page.waitForLoadState("networkidle");
      isLate = true;
      await page.clock.runFor(10_000);
      await begun.promise;
      await page.getByRole("button", { name: "Rename or move" }).click();
      await fill(page, "Path", "/lib/b.txt");
      await press(page, "Save");
      await page.getByRole("heading", { name: "/lib/b.txt" }).waitFor();
      await page.getByRole("link", { name: "History" }).click();
      await page.getByRole("button", { name: /^Revision 1/ }).waitFor();
    },
  },
  {
    name: "a move onto an existing file is refused in the dialog",
    expectedErrors: /status of 4(?:09|22)/,
    async run(page, server) {
      await putFile(server, "f.taken", "a.txt", "a");
      await putFile(server, "f.taken", "b.txt", "b");
      await openTab(page, "f.taken", "files", "?file=%2Fa.txt");
      await page.getByRole("button", { name: "Rename or move" }).click();
      await fill(page, "Path", "/b.txt");
      await press(page, "Save");
      await page.getByRole("dialog").getByText("it exists").waitFor();
    },
  },
  {
    name: "a file is dragged onto a folder",
    async run(page, server) {
      await putFile(server, "f.drag", "a.txt", "a");
      await putFile(server, "f.drag", "lib/b.txt", "b");
      await openTab(page, "f.drag", "files");
      await page.getByRole("link", { name: "a.txt" }).dragTo(page.getByRole("link", { name: "lib/" }));
      await page.getByText("Moved to /lib/a.txt").waitFor();
      assertEquals(await fileText(server, "f.drag", "lib/a.txt"), "a");
    },
  },
  {
    name: "a folder is deleted with its content after a question",
    async run(page, server) {
      await putFile(server, "f.delete", "lib/b.txt", "b");
      await openTab(page, "f.delete", "files", "?file=%2Flib%2F");
      // The tree must not ask for a folder that is gone.
      await page.getByRole("navigation", { name: "Files" }).getByRole("link", { name: "b.txt" }).waitFor();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("Folder /lib/ is deleted with all that is in it").waitFor();
      await press(page, "Delete");
      await page.getByText("Deleted: /lib/").waitFor();
      assertEquals(await fileText(server, "f.delete", "lib/b.txt"), undefined);
    },
  },
  {
    name: "a question stays open while another one is asked, which follows it",
    async run(page, server) {
      await putFile(server, "f.questions", "lib/b.txt", "before");
      await openTab(page, "f.questions", "files", "?file=%2Flib%2F");
      await page.getByRole("navigation", { name: "Files" }).getByRole("link", { name: "b.txt" }).waitFor();
      const held = await holdResponse(page, "**/files/search*");
      await drop(page, { "b.txt": "after" });
      await held.begun;
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      const first = page.getByText("Folder /lib/ is deleted with all that is in it");
      await first.waitFor();
      await afterResponse(page, "/files/search", held.release);
      assertEquals(await first.count(), 1);
      await press(page, "Cancel");
      await page.getByText("These files exist: b.txt").waitFor();
      await press(page, "Replace");
      await page.getByText("Uploaded: b.txt").waitFor();
      assertEquals(await fileText(server, "f.questions", "lib/b.txt"), "after");
    },
  },
  {
    name: "the search finds files of all folders, without regard to capitals",
    async run(page, server) {
      await putFile(server, "f.search", "deep/er/Report.md", "x");
      await putFile(server, "f.search", "a.txt", "x");
      await openTab(page, "f.search", "files");
      await page.getByRole("searchbox", { name: "Search files" }).fill("report");
      await page.getByRole("link", { name: "/deep/er/Report.md" }).click();
      await page.getByRole("heading", { name: "/deep/er/Report.md" }).waitFor();
      await page.getByRole("searchbox", { name: "Search files" }).fill("nothing");
      await page.getByText("Nothing matches the search").waitFor();
    },
  },
  {
    name: "a table of values is previewed, also before it is saved",
    async run(page, server) {
      await putFile(server, "f.csv", "a.csv", 'id,name\n1,"Ada, L."\n');
      await openTab(page, "f.csv", "files", "?file=%2Fa.csv&view=preview");
      await page.getByRole("cell", { name: "Ada, L." }).waitFor();
      await page.getByRole("link", { name: "Text", exact: true }).click();
      await page.getByRole("textbox", { name: "a.csv" }).fill("id,name\n1,Bob");
      await page.getByRole("link", { name: "Preview" }).click();
      await page.getByRole("cell", { name: "Bob" }).waitFor();
    },
  },
  {
    name: "Markdown and JSON are previewed",
    scheme: "dark",
    async run(page, server) {
      await putFile(server, "f.text", "a.md", "# Title\n\n**bold** <script>alert(1)</script>");
      await putFile(server, "f.text", "a.json", '{"a":[1]}');
      await openTab(page, "f.text", "files", "?file=%2Fa.md&view=preview");
      await page.getByRole("heading", { name: "Title" }).waitFor();
      await page.getByRole("link", { name: "a.json" }).click();
      await page.getByRole("link", { name: "Preview" }).click();
      await page.getByText('"a": [').waitFor();
    },
  },
  {
    name: "an image is shown, and a file of another kind is offered for download",
    async run(page, server) {
      await putFile(server, "f.image", "a.png", PIXEL);
      await putFile(server, "f.image", "b.bin", new Uint8Array([0, 1, 2]));
      await openTab(page, "f.image", "files", "?file=%2Fa.png");
      const image = page.getByRole("img", { name: "Image of the file" });
      await image.waitFor();
      assertEquals(await image.evaluate((it) => (it as HTMLImageElement).naturalWidth), 1);
      await page.getByRole("link", { name: "b.bin" }).click();
      await page.getByText("This file is no text, or too large for the editor").waitFor();
    },
  },
  {
    name: "the address of a file that does not exist says so",
    size: "small",
    expectedErrors: /status of 404/,
    async run(page, server) {
      await putFile(server, "f.none", "a.txt", "a");
      await openTab(page, "f.none", "files", "?file=%2Fnope.txt");
      await page.getByText("There is no file nope.txt").waitFor();
    },
  },
]);
