/** What the editor of sources does beyond writing: search, folding, completion and problems by keys and mouse, brackets. */
import { assert, assertEquals } from "@std/assert";
import { type Locator, type Page, stories } from "../../support/browser/browser.ts";
import { goBehind, helloIn, openEditor, updateHello, writeSource } from "./editing.ts";
import { saveFlow } from "./flows.ts";
import { type Watch, watchFor } from "./watch.ts";

/** The lines as they are shown: what is folded is not. */
function shownLines(page: Page): Promise<string[]> {
  return page.locator(".cm-line").allInnerTexts();
}

async function openWith(page: Page, source: string): Promise<void> {
  await openEditor(page, "tools");
  await writeSource(page, source);
  await page.keyboard.press("ControlOrMeta+Home");
}

/** The source is not saved: the next story leaves the page without a question. */
async function forget(page: Page): Promise<void> {
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto("/ui/flows");
}

/** Whether a node of the graph is within what is shown of it. */
function isInFrame(node: Locator): Promise<boolean> {
  return node.evaluate((element) => {
    const frame = element.closest(".graph-frame")?.getBoundingClientRect();
    return frame !== undefined &&
      element.getBoundingClientRect().bottom <= Math.min(frame.bottom, innerHeight);
  });
}

/** Whether a node of the graph is within what is shown of it as soon as it is marked, before the next frame. */
function isShownWhenMarked(id: string): Watch<boolean> {
  const seen = new Promise<boolean>((resolve) => {
    const observer = new MutationObserver(() => {
      const node = document.querySelector(".graph .node.selected");
      const frame = node?.closest(".graph-frame");
      if (!node || !frame || !node.textContent.includes(id)) return;
      observer.disconnect();
      resolve(node.getBoundingClientRect().bottom <= frame.getBoundingClientRect().bottom);
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  return { seen };
}

const THREE = "id: hello\nnamespace: tools\ndescription: red, Red, redder\n";

stories("the tools of the editor", [
  {
    name: "a text is found by keys, forwards and backwards, and counted",
    run: async (page) => {
      await openWith(page, THREE);
      await page.keyboard.press("ControlOrMeta+f");
      await page.keyboard.type("red");
      const panel = page.getByRole("search");
      await panel.getByText("0 / 3").waitFor();
      await page.keyboard.press("Enter");
      await panel.getByText("1 / 3").waitFor();
      await page.keyboard.press("F3");
      await panel.getByText("2 / 3").waitFor();
      await page.keyboard.press("Shift+Enter");
      await panel.getByText("1 / 3").waitFor();
      await panel.getByRole("button", { name: "Match case" }).click();
      await panel.getByText("1 / 2").waitFor();
      await panel.getByRole("button", { name: "Whole words" }).click();
      await panel.getByText("1 / 1").waitFor();
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      await page.keyboard.type("blue");
      assertEquals((await shownLines(page))[2], "description: blue, Red, redder");
      await forget(page);
    },
  },
  {
    name: "a text is replaced, one match and all, also by parts of what an expression found",
    size: "small",
    run: async (page) => {
      await openWith(page, THREE);
      await page.keyboard.press("ControlOrMeta+f");
      const panel = page.getByRole("search");
      await panel.getByRole("textbox", { name: "Find" }).fill("(r)(ed)");
      await panel.getByRole("button", { name: "Regular expression" }).click();
      await panel.getByText("0 / 3").waitFor();
      await panel.getByRole("textbox", { name: "Replace by" }).fill("$2$1");
      await panel.getByRole("button", { name: "Next match" }).click();
      await panel.getByRole("button", { name: "Replace", exact: true }).click();
      await panel.getByText("1 / 2").waitFor();
      assertEquals((await shownLines(page))[2], "description: edr, Red, redder");
      await panel.getByRole("button", { name: "Replace all" }).click();
      await panel.getByText("0 / 0").waitFor();
      assertEquals((await shownLines(page))[2], "description: edr, edR, edrder");
      await panel.getByRole("button", { name: "Close" }).click();
      await page.keyboard.press("ControlOrMeta+z");
      assertEquals((await shownLines(page))[2], "description: edr, Red, redder");
      await forget(page);
    },
  },
  {
    name: "a key goes to a line, another one to the next place of the word at the cursor",
    run: async (page) => {
      await openWith(page, "id: hello\nnamespace: tools\nlabels:\n  tools: hello\n");
      await page.keyboard.press("ControlOrMeta+Alt+g");
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await page.locator(".cm-activeLine").filter({ hasText: "namespace" }).waitFor();
      await page.keyboard.press("End");
      await page.keyboard.press("ControlOrMeta+d");
      await page.locator(".cm-activeLine").filter({ hasText: "tools: hello" }).waitFor();
      await page.keyboard.type("x");
      assertEquals((await shownLines(page))[3], "  x: hello");
      await forget(page);
    },
  },
  {
    name: "the buttons of the search have the colours of the theme",
    scheme: "dark",
    run: async (page) => {
      await openWith(page, THREE);
      await page.keyboard.press("ControlOrMeta+f");
      const button = page.getByRole("button", { name: "Replace all" });
      assertEquals(await button.evaluate((element) => getComputedStyle(element).backgroundImage), "none");
      await forget(page);
    },
  },
  {
    name: "Enter before the text of a line moves the line down as it is",
    run: async (page) => {
      const source = "id: hello\nlabels:\n  a: b";
      await openWith(page, source);
      await goBehind(page, "a: b");
      for (const key of ["Home", "Home", "Enter"]) await page.keyboard.press(key);
      assertEquals((await shownLines(page)).map((line) => line.trimEnd()), [
        "id: hello",
        "labels:",
        "",
        "  a: b",
      ]);
      await forget(page);
    },
  },
  {
    name: "the line of the cursor stays in sight when problems are listed",
    run: async (page) => {
      await openWith(page, `id: hello\nlabels:\n${"  a: b\n".repeat(60)}`);
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.insertText("unknown: 1");
      await page.getByRole("list", { name: "Problems" }).waitFor();
      await page.waitForFunction(() => {
        const root = document.querySelector(".code-editor")?.shadowRoot;
        const [line, scroller] = [".cm-activeLine", ".cm-scroller"].map((each) => root?.querySelector(each));
        const [bottom = 0, end = 0] = [line, scroller].map((each) => each?.getBoundingClientRect().bottom);
        return bottom > 0 && bottom <= end;
      });
      await forget(page);
    },
  },
  {
    name: "the graph is scrolled to the task of the cursor",
    run: async (page) => {
      const task = (n: number) => `  - id: t${n}\n    type: io.kestra.plugin.core.log.Log\n    message: a`;
      const tasks = Array.from({ length: 20 }, (_, n) => task(n)).join("\n");
      await openWith(page, `id: hello\nnamespace: tools\ntasks:\n${tasks}`);
      const last = page.getByRole("button", { name: "t19 Log" });
      await last.waitFor();
      assertEquals(await isInFrame(last), false);
      const isShown = await watchFor(page, isShownWhenMarked, "t19");
      await page.keyboard.press("ControlOrMeta+End");
      assertEquals(await isShown(), true);
      assertEquals(await isInFrame(last), true);
      await forget(page);
    },
  },
  {
    name: "what is indented is folded and opened, by the mouse and by keys",
    run: async (page) => {
      await openEditor(page, "tools");
      const all = await shownLines(page);
      await page.locator(".cm-foldGutter span").filter({ hasText: "⌄" }).first().click();
      const labels = all.indexOf("labels:");
      assertEquals(await shownLines(page), [
        ...all.slice(0, labels),
        "labels:⋯",
        ...all.slice(labels + 2),
      ]);
      await page.locator(".cm-folded").click();
      assertEquals(await shownLines(page), all);
      await goBehind(page, "message:");
      await page.keyboard.press("Control+Shift+BracketLeft");
      assert((await shownLines(page)).includes("  - id: say⋯"));
      await page.keyboard.press("Control+Alt+BracketLeft");
      assert((await shownLines(page)).includes("tasks:⋯"));
      await page.keyboard.press("Control+Alt+BracketRight");
      assertEquals(await shownLines(page), all);
    },
  },
  {
    name:
      "an option of a completion is chosen by keys, with its explanation, and is what a screen reader reads",
    run: async (page) => {
      await openEditor(page, "tools");
      await goBehind(page, "message:");
      await page.keyboard.insertText("\n    ");
      await page.keyboard.press("Control+Space");
      const options = page.getByRole("option");
      await options.nth(1).waitFor();
      const content = page.locator(".cm-content");
      const chosen = page.getByRole("option", { selected: true });
      const first = await chosen.getAttribute("id");
      assertEquals(await content.getAttribute("aria-activedescendant"), first);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.type("lev");
      await chosen.filter({ hasText: /^level/ }).waitFor();
      await page.locator(".cm-completionInfo").filter({ hasText: /\w/ }).waitFor();
      await page.keyboard.press("Escape");
      await options.first().waitFor({ state: "detached" });
      assertEquals(await content.getAttribute("aria-activedescendant"), null);
      await page.keyboard.press("Control+Space");
      await chosen.filter({ hasText: /^level/ }).waitFor();
      await page.keyboard.press("Enter");
      assert((await shownLines(page)).includes("    level: "));
      await forget(page);
    },
  },
  {
    name: "a key leads to the next problem and explains it, the mouse does so, too, and its fix is one click",
    run: async (page) => {
      await openWith(page, helloIn("tools").replace("message:", "mesage:"));
      await page.getByText("✕ Problems:").waitFor();
      await page.locator(".cm-content").focus();
      await page.keyboard.press("F8");
      const explanation = page.locator(".cm-problem");
      await explanation.first().waitFor();
      await page.keyboard.press("ArrowLeft");
      await explanation.waitFor({ state: "detached" });
      await page.locator(".cm-wrong").filter({ hasText: "mesage" }).first().hover();
      await explanation.getByRole("button", { name: "Replace by message" }).click();
      await page.getByText("✓ Valid").waitFor();
      await page.locator(".cm-wrong").waitFor({ state: "detached" });
      await page.keyboard.press("ControlOrMeta+z");
      await page.locator(".cm-sign.error").last().hover();
      await explanation.getByText(/did you mean/).first().waitFor();
      await page.keyboard.press("ControlOrMeta+Shift+KeyM");
      await page.getByRole("list", { name: "Problems" }).getByRole("button").first().and(
        page.locator(":focus"),
      ).waitFor();
      await forget(page);
    },
  },
  {
    name: "brackets and quotes are closed, typed over and deleted together, and Enter opens them",
    run: async (page) => {
      await openWith(page, "id: hello\nnamespace: tools\n");
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.type('a: [1, "b');
      assertEquals((await shownLines(page))[2], 'a: [1, "b"]');
      assertEquals(await page.locator(".cm-matchingBracket").count(), 0);
      await page.keyboard.type('"]');
      assertEquals((await shownLines(page))[2], 'a: [1, "b"]');
      assertEquals(await page.locator(".cm-matchingBracket").count(), 2);
      await page.keyboard.press("Enter");
      await page.keyboard.type("b: {");
      await page.keyboard.press("Backspace");
      assertEquals((await shownLines(page))[3], "b: ");
      await page.keyboard.type("{");
      await page.keyboard.press("Enter");
      await page.keyboard.type("c: it's");
      assertEquals((await shownLines(page)).slice(3), ["b: {", "  c: it's", "}"]);
      await forget(page);
    },
  },
  {
    name: "Tab, Backspace and the key of comments work on lines; Escape, then Tab, leaves the editor",
    run: async (page) => {
      await openWith(page, "id: hello\nnamespace: tools\n");
      await page.keyboard.press("Shift+ArrowDown");
      await page.keyboard.press("Tab");
      assertEquals((await shownLines(page)).slice(0, 2), ["  id: hello", "namespace: tools"]);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Backspace");
      assertEquals((await shownLines(page))[0], "id: hello");
      await page.keyboard.press("ControlOrMeta+/");
      assertEquals((await shownLines(page))[0], "# id: hello");
      await page.keyboard.press("ControlOrMeta+/");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Shift+Tab");
      assertEquals((await shownLines(page)).slice(0, 2), ["id: hello", "namespace: tools"]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      await page.locator(".cm-editor:not(.cm-focused)").waitFor();
      await forget(page);
    },
  },
  {
    name: "a selection grows to the block that it is in, and its lines are indented together",
    run: async (page) => {
      const item = ["- id: a", "  type: b", "  script: |", "    echo 1"];
      await openWith(page, ["id: hello", "namespace: tools", "tasks:", ...item].join("\n"));
      await goBehind(page, "type: b");
      const selected = () => page.evaluate(() => String(getSelection()));
      for (const expected of ["b", "type: b", item.join("\n")]) {
        await page.keyboard.press("ControlOrMeta+i");
        assertEquals(await selected(), expected);
      }
      await page.keyboard.press("ControlOrMeta+Alt+Backslash");
      assertEquals((await shownLines(page)).slice(3), item.map((line) => `  ${line}`));
      await page.keyboard.press("ControlOrMeta+Alt+Backslash");
      assertEquals((await shownLines(page)).slice(3), item.map((line) => `  ${line}`));
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Alt+Shift+KeyA");
      assertEquals((await shownLines(page)).slice(3), item.map((line) => `# ${line}`));
      await forget(page);
    },
  },
  {
    name: "unchanged lines far from a change are hidden in a comparison until one asks for them",
    run: async (page, server) => {
      await saveFlow(server, `${helloIn("compared")}# old\n`);
      await updateHello(server, "compared", `${helloIn("compared")}# new\n`);
      await page.goto("/ui/flows/edit/compared/hello/revisions");
      await page.getByRole("deletion").filter({ hasText: "old" }).waitFor();
      await page.getByRole("insertion").filter({ hasText: "new" }).waitFor();
      const first = page.getByText("id: hello", { exact: true });
      assertEquals(await first.count(), 0);
      await page.getByRole("button", { name: /unchanged lines/ }).click();
      assertEquals(await first.count(), 2);
    },
  },
], { prepare: (server) => saveFlow(server, helloIn("tools")) });
