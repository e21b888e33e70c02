/** The form that runs a flow: an input of each type, problems, labels, and what the server refuses. */
import { Buffer } from "node:buffer";
import { assert, assertEquals } from "@std/assert";
import { stories } from "../../support/browser/browser.ts";
import { json } from "../../support/flows/request_bodies.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { copiedBy } from "./copied.ts";
import { helloIn } from "./editing.ts";
import { saveFlow } from "./flows.ts";

const TYPES = `id: types
namespace: forms
inputs:
  - {id: string, type: STRING}
  - {id: int, type: INT}
  - {id: float, type: FLOAT}
  - {id: boolean, type: BOOLEAN}
  - {id: datetime, type: DATETIME}
  - {id: date, type: DATE}
  - {id: time, type: TIME}
  - {id: duration, type: DURATION}
  - {id: uri, type: URI}
  - {id: email, type: EMAIL}
  - {id: json, type: JSON}
  - {id: yaml, type: YAML}
  - {id: array, type: ARRAY, itemType: INT}
  - {id: select, type: SELECT, values: [one, two]}
  - {id: radio, type: SELECT, values: [left, right], isRadio: true}
  - {id: several, type: MULTISELECT, values: [a, b, c]}
  - {id: secret, type: SECRET}
  - {id: file, type: FILE}
tasks:
  - {id: read, type: io.svc.plugin.core.debug.Return, format: "{{ read(inputs.file) }}"}
`;

const DEFAULTS = `id: defaults
namespace: emptied
inputs:
  - {id: int, type: INT, defaults: 5}
  - {id: words, type: STRING, defaults: World}
  - {id: several, type: MULTISELECT, values: [a, b], defaults: [a, b]}
tasks:
  - {id: read, type: io.svc.plugin.core.debug.Return, format: "{{ inputs.int }}"}
`;

/** Each with a default; the texts are those of the fields. */
const EMPTIED: readonly (readonly [type: string, field: string, value: unknown])[] = [
  ["STRING", "World", "World"],
  ["INT", "5", 5],
  ["FLOAT", "1.5", 1.5],
  ["DATETIME", "2030-01-02T03:04:05Z", "2030-01-02T03:04:05Z"],
  ["DATE", "2030-01-02", "2030-01-02"],
  ["TIME", "03:04:05", "03:04:05"],
  ["DURATION", "PT1H30M", "PT1H30M"],
  ["URI", "https://example.com/a", "https://example.com/a"],
  ["EMAIL", "ada@example.com", "ada@example.com"],
  ["JSON", '{"a":[1]}', { a: [1] }],
  ["YAML", '{"b":2}', { b: 2 }],
  ["ARRAY", "[1,2]", [1, 2]],
];
const ALL_DEFAULTS = `id: all
namespace: cleared
inputs:
${
  EMPTIED.map(([type, , value]) =>
    `  - {id: ${type}, type: ${type}, defaults: ${JSON.stringify(value)}${
      type === "ARRAY" ? ", itemType: INT" : ""
    }}`
  ).join("\n")
}
  - {id: BOOLEAN, type: BOOLEAN, defaults: true}
  - {id: SELECT, type: SELECT, values: [one, two], defaults: two}
  - {id: FILE, type: FILE, defaults: "https://example.com/a.txt"}
  - {id: SECRET, type: SECRET, defaults: of the flow}
tasks:
  - {id: read, type: io.svc.plugin.core.debug.Return, format: "{{ inputs.SECRET | length }}"}
`;

/** What is filled in. */
const TEXTS = {
  string: "words",
  int: "42",
  float: "1.5",
  datetime: "2030-01-02T03:04:05",
  date: "2030-01-02",
  time: "03:04:05",
  duration: "PT5M",
  uri: "https://example.com/a",
  email: "ada@example.com",
  json: '{"a": [1]}',
  yaml: "a: 1",
  array: "[1, 2]",
  secret: "hidden",
};

interface Started {
  readonly id: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly labels?: readonly { readonly key: string; readonly value: string }[];
}

async function startedIn(server: ServerProcess, namespace: string): Promise<readonly Started[]> {
  const path = `/executions/search?namespace=${namespace}`;
  return (await server.json<{ results: Started[] }>("GET", path)).results;
}

stories("the form of a run", [
  {
    name: "inputs of all types reach the execution",
    run: async (page, server) => {
      await saveFlow(server, TYPES);
      await page.goto("/ui/flows/edit/forms/types?run=1");
      const form = page.getByRole("dialog");
      for (const [id, text] of Object.entries(TEXTS)) await form.locator(`#input-${id}`).fill(text);
      await form.locator("#input-boolean").selectOption("true");
      await form.locator("#input-select").selectOption("two");
      await form.getByRole("radio", { name: "right" }).check();
      await form.getByRole("checkbox", { name: "a", exact: true }).check();
      await form.getByRole("checkbox", { name: "c", exact: true }).check();
      const file = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("content") };
      await form.locator("#input-file").setInputFiles(file);
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/ui\/executions\/forms\/types\/\w+$/);
      const [started] = await startedIn(server, "forms");
      const { file: uri, secret, ...inputs } = started?.inputs ?? {};
      assertEquals(inputs, {
        string: "words",
        int: 42,
        float: 1.5,
        boolean: true,
        datetime: "2030-01-02T03:04:05Z",
        date: "2030-01-02",
        time: "03:04:05",
        duration: "PT5M",
        uri: "https://example.com/a",
        email: "ada@example.com",
        json: { a: [1] },
        yaml: { a: 1 },
        array: [1, 2],
        select: "two",
        radio: "right",
        several: ["a", "c"],
      });
      assertEquals([String(uri).endsWith("note.txt"), secret === "hidden"], [true, false]);
    },
  },
  {
    name: "a field that was chosen keeps the focus when the others arrive, and problems wait for a check",
    run: async (page) => {
      let check = Promise.withResolvers<void>();
      await page.route("**/validate*", async (route) => {
        await check.promise;
        await route.continue();
      });
      await page.goto("/ui/flows/edit/forms/types?run=1");
      const form = page.getByRole("dialog");
      const labels = form.getByLabel("Labels");
      await labels.focus();
      check.resolve();
      await form.locator("#input-string").waitFor();
      await page.evaluate(() =>
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      );
      assertEquals(await labels.evaluate((field) => field === document.activeElement), true);
      check = Promise.withResolvers();
      await form.locator("#input-string").fill("words");
      assertEquals(await form.locator(".problem").count(), 0);
      check.resolve();
    },
  },
  {
    name: "what a person empties stays empty, and its default is said to apply",
    run: async (page, server) => {
      await saveFlow(server, DEFAULTS);
      await page.goto("/ui/flows/edit/emptied/defaults?run=1");
      const form = page.getByRole("dialog");
      const [int, words] = [form.locator("#input-int"), form.locator("#input-words")];
      await int.press("End");
      await int.press("Backspace");
      await form.getByText("Empty: the default applies, 5").waitFor();
      assertEquals(await int.inputValue(), "");
      await int.pressSequentially("7");
      await words.press("ControlOrMeta+a");
      await words.press("Delete");
      await form.getByText("Empty: the default applies, World").waitFor();
      await form.getByRole("checkbox", { name: "a", exact: true }).uncheck();
      await form.getByRole("checkbox", { name: "b", exact: true }).uncheck();
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/ui\/executions\/emptied\/defaults\/\w+$/);
      const [started] = await startedIn(server, "emptied");
      assertEquals(started?.inputs, { int: 7, words: "World", several: [] });
    },
  },
  {
    name:
      "emptied fields of all types let their defaults apply, also at once; a default that is secret is not shown",
    run: async (page, server) => {
      await saveFlow(server, ALL_DEFAULTS);
      await page.goto("/ui/flows/edit/cleared/all?run=1");
      const form = page.getByRole("dialog");
      const secret = form.locator("#input-SECRET");
      await form.getByText("Empty: the default applies, ********").waitFor();
      assertEquals(await secret.inputValue(), "");
      await secret.fill("typed");
      for (const [type] of EMPTIED) await form.locator(`#input-${type}`).fill("");
      for (const type of ["BOOLEAN", "SELECT"]) await form.locator(`#input-${type}`).selectOption("");
      for (const [, text] of EMPTIED) {
        await form.getByText(`Empty: the default applies, ${text}`, { exact: true }).waitFor();
      }
      for (const [type] of EMPTIED) {
        assertEquals(await form.locator(`#input-${type}`).inputValue(), "", type);
      }
      await secret.fill("");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/ui\/executions\/cleared\/all\/\w+$/);
      const [started] = await startedIn(server, "cleared");
      const { SECRET: _, ...inputs } = started?.inputs ?? {};
      assertEquals(inputs, {
        ...Object.fromEntries(EMPTIED.map(([type, , value]) => [type, value])),
        BOOLEAN: true,
        SELECT: "two",
        FILE: "https://example.com/a.txt",
      });
    },
  },
  {
    name: "a form that is opened anew has the defaults again",
    run: async (page, server) => {
      await saveFlow(server, DEFAULTS.replace("emptied", "anew"));
      await page.goto("/ui/flows/edit/anew/defaults?run=1");
      const form = page.getByRole("dialog");
      await form.locator("#input-int").fill("");
      await form.getByText("Empty: the default applies, 5").waitFor();
      await form.getByRole("button", { name: "Cancel" }).click();
      await form.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await form.locator("#input-int").waitFor();
      assertEquals(await form.locator("#input-int").inputValue(), "5");
      assertEquals(await form.getByText("the default applies").count(), 0);
    },
  },
  {
    name: "a double click starts one execution, and a label without a value none",
    run: async (page, server) => {
      await saveFlow(server, helloIn("twice"));
      await page.goto("/ui/flows/edit/twice/hello?run=1");
      const form = page.getByRole("dialog");
      const labels = form.getByLabel("Labels");
      const run = form.getByRole("button", { name: "Run", exact: true });
      await labels.fill("team data");
      await run.click();
      assertEquals(await labels.evaluate((field) => field.matches(":invalid")), true);
      await labels.fill("team:data, ticket:123");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const command = await copiedBy(page, form.getByRole("button", { name: "Copy as curl" }));
      assert(command.includes("?labels=team%3Adata&labels=ticket%3A123'"), command);
      // As with a slow connection.
      await page.route("**/validate*", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        await route.continue();
      });
      await run.dblclick();
      await page.waitForURL(/\/ui\/executions\/twice\/hello\/\w+$/);
      const all = await startedIn(server, "twice");
      assertEquals([all.length, all[0]?.labels?.some(({ key }) => key === "ticket")], [1, true]);
    },
  },
  {
    name: "the title and the buttons of a long form stay in view",
    run: async (page) => {
      await page.goto("/ui/flows/edit/forms/types?run=1");
      const form = page.getByRole("dialog");
      await form.locator("#input-file").scrollIntoViewIfNeeded();
      for (
        const part of [form.getByRole("heading"), form.getByRole("button", { name: "Run", exact: true })]
      ) {
        const { y = -1, height = 0 } = await part.first().boundingBox() ?? {};
        assert(y >= 0 && y + height <= 900, `it is at ${y}`);
      }
    },
  },
  {
    name: "a wrong value is shown at its input, and nothing starts",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, helloIn("invalid"));
      await page.goto("/ui/flows/edit/invalid/hello");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const form = page.getByRole("dialog");
      await form.getByRole("spinbutton", { name: /count/ }).fill("9");
      await form.getByRole("alert").getByText(/less than/).waitFor();
      await form.getByRole("spinbutton", { name: /count/ }).fill("2");
      await form.getByRole("alert").waitFor({ state: "detached" });
      assertEquals(await startedIn(server, "invalid"), []);
    },
  },
  {
    name: "the first input has the focus, labels are added, and Enter starts the run",
    run: async (page, server) => {
      await saveFlow(server, helloIn("labelled"));
      await page.goto("/ui/flows/edit/labelled/hello?run=1");
      await page.locator("#input-name:focus").waitFor();
      await page.getByRole("textbox", { name: "Labels" }).fill("ticket:12, team:mine");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/ui\/executions\/labelled\/hello\/\w+$/);
      const [started] = await startedIn(server, "labelled");
      const labels = Object.fromEntries((started?.labels ?? []).map(({ key, value }) => [key, value]));
      assertEquals([labels.ticket, labels.team], ["12", "mine"]);
    },
  },
  {
    name: "what the server refuses is shown in the form",
    expectedErrors: /status of 4\d\d/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("refused"));
      await page.goto("/ui/flows/edit/refused/hello?run=1");
      await page.getByRole("dialog").getByRole("textbox", { name: /name/ }).waitFor();
      await server.json("POST", "/flows/disable/by-ids", json([{ namespace: "refused", id: "hello" }]));
      await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("dialog").getByRole("alert").getByText(/disabled/).waitFor();
    },
  },
]);
