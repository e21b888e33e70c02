/** Saving in the editor of a flow: again while a save is under way, and what of it is said and asked. */
import { assert, assertEquals } from "@std/assert";
import { type Page, stories } from "../../support/browser/browser.ts";
import { SaveQueue } from "../../../src/ui/app/kit/save_queue.ts";
import { helloIn, nextQuestion, openEditor, storedHello, writeSource } from "./editing.ts";
import { saveFlow } from "./flows.ts";
import { holdSaves } from "./held_requests.ts";

const SAVE = "ControlOrMeta+s";

/** A queue of saves of the text `sent` that end when the test says so. */
function slowSaves() {
  const state = { text: "a" };
  const sent: string[] = [];
  let end: PromiseWithResolvers<void> = Promise.withResolvers();
  const queue = new SaveQueue<string>(() => state.text);
  const save = async (text: string) => {
    sent.push(text);
    await end.promise;
    return `saved ${text}`;
  };
  const next = () => {
    const { resolve } = end;
    end = Promise.withResolvers();
    resolve();
  };
  return { state, sent, next, run: () => queue.run(save), queue };
}

Deno.test("SaveQueue.run() sends a text once, however often it is called meanwhile", async () => {
  const { sent, next, run, queue } = slowSaves();
  const results = [run(), run(), run()];
  assertEquals(queue.isBusy, true);
  next();
  assertEquals(await Promise.all(results), ["saved a", "saved a", "saved a"]);
  assertEquals([sent, queue.isBusy], [["a"], false]);
});

Deno.test("SaveQueue.run() sends a newer text after the save that is under way, to all who wait", async () => {
  const { state, sent, next, run } = slowSaves();
  const first = run();
  state.text = "b";
  const second = run();
  assertEquals(sent, ["a"]);
  next();
  while (sent.length < 2) await Promise.resolve();
  state.text = "c";
  next();
  // There was no call of run() for "c".
  assertEquals(await Promise.all([first, second]), ["saved b", "saved b"]);
  assertEquals(sent, ["a", "b"]);
});

Deno.test("SaveQueue.run() saves again after a failure", async () => {
  const queue = new SaveQueue<string>(() => "a");
  const failed = await queue.run(() => Promise.reject(new Error("lost"))).catch(({ message }) => message);
  assertEquals([failed, queue.isBusy], ["lost", false]);
  assertEquals(await queue.run((text) => Promise.resolve(text)), "a");
});

/** Opens the editor of a new flow `my_flow`. */
async function openNew(page: Page, namespace: string): Promise<void> {
  await page.goto(`/ui/flows/new?namespace=${namespace}`);
  await page.getByText("✓ Valid").waitFor();
}

/** Adds a line at the end of the source. */
async function addLine(page: Page, line: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText(line);
}

stories("saving in the editor", [
  {
    name: "saving twice is one revision and no conflict",
    run: async (page, server) => {
      await saveFlow(server, helloIn("twice"));
      await openEditor(page, "twice");
      await addLine(page, "# B");
      const held = await holdSaves(page, "**/flows/twice/hello");
      await page.keyboard.press(SAVE);
      await held.begun;
      await page.keyboard.press(SAVE);
      held.release();
      await page.getByText("Saved as revision 2").waitFor();
      await page.getByText("Not saved").waitFor({ state: "detached" });
      assertEquals([held.count(), await page.getByRole("dialog").count()], [1, 0]);
      assertEquals((await storedHello(server, "twice")).revision, 2);
    },
  },
  {
    name: "what is written while a save is under way is saved after it if one asks for it",
    run: async (page, server) => {
      await saveFlow(server, helloIn("newer"));
      await openEditor(page, "newer");
      await addLine(page, "# B");
      const held = await holdSaves(page, "**/flows/newer/hello");
      await page.keyboard.press(SAVE);
      await held.begun;
      await addLine(page, "# C");
      await page.keyboard.press(SAVE);
      held.release();
      await page.getByText("Saved as revision 3").waitFor();
      await page.getByText("Not saved").waitFor({ state: "detached" });
      assert((await storedHello(server, "newer")).source.endsWith("# B# C"));
    },
  },
  {
    name: "a run while a save is under way waits for it",
    run: async (page, server) => {
      await saveFlow(server, helloIn("run.newer"));
      await openEditor(page, "run.newer");
      await addLine(page, "# B");
      const held = await holdSaves(page, "**/flows/run.newer/hello");
      await page.keyboard.press(SAVE);
      await held.begun;
      await page.keyboard.press("ControlOrMeta+Enter");
      held.release();
      const dialog = page.getByRole("dialog", { name: "Run run.newer.hello" });
      await dialog.getByRole("textbox", { name: /name/ }).waitFor();
      assertEquals((await storedHello(server, "run.newer")).revision, 2);
    },
  },
  {
    name: "a new flow is created once, and what was written meanwhile is its next revision",
    run: async (page, server) => {
      await openNew(page, "new.twice");
      const held = await holdSaves(page, "**/api/v1/main/flows");
      await page.keyboard.press(SAVE);
      await held.begun;
      await page.keyboard.press(SAVE);
      await addLine(page, "# C");
      await page.keyboard.press(SAVE);
      held.release();
      await page.waitForURL("**/ui/flows/edit/new.twice/my_flow/editor");
      await page.getByText("Saved as revision 2").waitFor();
      await page.locator(".cm-line").filter({ hasText: "# C" }).waitFor();
      assertEquals([held.count(), await page.locator(".toast.bad").count()], [1, 0]);
      const { revision } = await server.json<{ revision: number }>("GET", "/flows/new.twice/my_flow");
      assertEquals(revision, 2);
    },
  },
  {
    name: "the initial source counts as unsaved once another one is stored",
    run: async (page, server) => {
      await saveFlow(server, helloIn("undone"));
      await openEditor(page, "undone");
      await addLine(page, "# B");
      await page.keyboard.press(SAVE);
      await page.getByText("Saved as revision 2").waitFor();
      await page.getByText("Not saved").waitFor({ state: "detached" });
      await page.keyboard.press("ControlOrMeta+z");
      await page.getByText("Not saved").waitFor();
      const flows = page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", {
        name: "Flows",
      });
      const [message] = await Promise.all([nextQuestion(page), flows.click()]);
      assert(message.includes("not saved"));
      await page.getByText("Not saved").waitFor();
    },
  },
  {
    name: "an unchanged new flow is left without a question",
    run: async (page) => {
      await openNew(page, "left");
      await page.getByRole("link", { name: "Dashboard" }).click();
      await page.waitForURL("**/ui/");
    },
  },
  {
    name: "Caps Lock does not keep the keys from saving",
    run: async (page, server) => {
      await saveFlow(server, helloIn("caps"));
      await openEditor(page, "caps");
      await addLine(page, "# B");
      // With Caps Lock the key is "S", without Shift.
      await page.keyboard.press("ControlOrMeta+S");
      await page.getByText("Saved as revision 2").waitFor();
    },
  },
  {
    name: "an empty source is neither valid nor wrong",
    run: async (page, server) => {
      await saveFlow(server, helloIn("empty"));
      await openEditor(page, "empty");
      await writeSource(page, "");
      await page.getByText("○ Empty").waitFor();
      assertEquals(await page.getByText("✓ Valid").count(), 0);
      await writeSource(page, helloIn("empty"));
      await page.getByText("✓ Valid").waitFor();
    },
  },
  {
    name: "a second document is a problem at its marker",
    run: async (page, server) => {
      await saveFlow(server, helloIn("two"));
      await openEditor(page, "two");
      const line = helloIn("two").split("\n").length;
      await writeSource(page, `${helloIn("two")}---\n${helloIn("two").replace("log.Log", "log.Logg")}`);
      const problems = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
      await problems.getByText("Only one document is allowed here").waitFor();
      await problems.getByText(`${line}:1`).waitFor();
      await page.getByText("✕ Problems: 1").waitFor();
    },
  },
  {
    name: "places are those of the source, also below a marker at its beginning",
    run: async (page, server) => {
      await saveFlow(server, helloIn("marker"));
      await openEditor(page, "marker");
      await writeSource(page, `---\n${helloIn("marker").replace("log.Log", "log.Logg")}`);
      await page.getByRole("list", { name: "Problems" }).getByText(/^17:/).waitFor();
    },
  },
  {
    name: "a source with warnings alone says how many there are",
    run: async (page, server) => {
      await saveFlow(server, helloIn("warned"));
      await openEditor(page, "warned");
      const other = "  - id: other\n    type: io.kestra.plugin.core.trigger.Flow\n";
      await writeSource(page, helloIn("warned") + other);
      await page.getByText("⚠ Warnings: 1").waitFor();
      await page.getByRole("list", { name: "Problems" }).getByRole("listitem").waitFor();
    },
  },
]);
