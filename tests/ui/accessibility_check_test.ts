/** The check of accessibility after each story finds what is new, and leaves out what it has found to be right. */
import { assert, assertEquals } from "../support/assert.ts";
import { checkAccessibility, type Page, stories } from "../support/browser/browser.ts";

/** Two buttons, the second one so far to the right. */
function shifted(left: number): string {
  const size = "width: 50px; height: 30px";
  const second = `<button style="position: absolute; top: 0; left: ${left}px; ${size}">b</button>`;
  return `<div style="position: relative"><button style="${size}">a</button>${second}</div>`;
}

/** What changes, before and after it breaks a rule, and the rule. */
const BREACHES: readonly (readonly [string, string, string, string])[] = [
  ["a colour", `<p class="a">Text</p>`, `<p class="a" style="color: #ccc">Text</p>`, "color-contrast"],
  [
    "a colour of styles",
    `<p class="b">Text</p>`,
    `<style>.b { color: #ccc }</style><p class="b">Text</p>`,
    "color-contrast",
  ],
  [
    "the background of a parent",
    `<div><p>Text</p></div>`,
    `<div style="background: #222"><p>Text</p></div>`,
    "color-contrast",
  ],
  [
    "what covers a control",
    shifted(60),
    shifted(10),
    "target-size",
  ],
  ["the name of a button", `<button>Save</button>`, `<button> </button>`, "button-name"],
  ["the text within a link", `<a href="/"><b>Flows</b></a>`, `<a href="/"><b></b></a>`, "link-name"],
  [
    "a label",
    `<label for="f">Name</label><input id="f">`,
    `<label for="g">Name</label><input id="f">`,
    "label",
  ],
  [
    "the text of a label",
    `<label for="h">Name</label><input id="h">`,
    `<label for="h"></label><input id="h">`,
    "label",
  ],
  [
    "the name in another element",
    `<b id="n">Name</b><div role="progressbar" aria-labelledby="n">x</div>`,
    `<b id="n"></b><div role="progressbar" aria-labelledby="n">x</div>`,
    "aria-progressbar-name",
  ],
  [
    "a name without the seen words",
    `<a href="/" aria-label="Open flows">flows</a>`,
    `<a href="/" aria-label="Open runs">flows</a>`,
    "label-content-name-mismatch",
  ],
  ["a child of a list", `<ul><li>One</li></ul>`, `<ul><li>One</li><div>Two</div></ul>`, "list"],
  ["a parent of an entry", `<ul><li>One</li></ul>`, `<div><li>One</li></div>`, "listitem"],
  [
    "a control in a control",
    `<div role="button" tabindex="0">x</div>`,
    `<div role="button" tabindex="0">x<a href="/">y</a></div>`,
    "nested-interactive",
  ],
  [
    "the size of a control",
    `<button style="width: 40px; height: 30px">a</button><button style="width: 40px; height: 30px">b</button>`,
    `<button style="width: 10px; height: 10px">a</button><button style="width: 10px; height: 10px">b</button>`,
    "target-size",
  ],
  [
    "a value of a role",
    `<div role="checkbox" aria-checked="true" tabindex="0">x</div>`,
    `<div role="checkbox" aria-checked="maybe" tabindex="0">x</div>`,
    "aria-valid-attr-value",
  ],
];

function htmlOf(body: string): string {
  return `<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>${body}</main></html>`;
}

/** In the document that is there, which keeps its scripts. */
async function show(page: Page, body: string): Promise<void> {
  await page.setContent(htmlOf(body));
}

stories("checkAccessibility()", [
  {
    name: "finds what breaks a rule in a page that it knows",
    needsOwnPage: true,
    async run(page) {
      for (const [change, before, after, rule] of BREACHES) {
        await show(page, before);
        await checkAccessibility(page);
        await show(page, after);
        const found = await checkAccessibility(page).then(() => "nothing", String);
        assert(found.includes(rule), `${change} breaks ${rule}; found: ${found}`);
      }
      await show(page, "");
    },
  },
  {
    name: "leaves out a page with other numbers and addresses, and as many rows more",
    needsOwnPage: true,
    async run(page) {
      const row = (count: number) =>
        `<tr><td style="line-height: 2"><a href="/ui/flows/${count}">Flow ${count}</a></td></tr>`;
      const table = (...rows: string[]) => `<table><tbody>${rows.join("")}</tbody></table>`;
      const isChecked = async (body: string) => {
        await page.goto("about:blank");
        await show(page, body);
        await checkAccessibility(page);
        return await page.evaluate(() => "axe" in globalThis);
      };
      assertEquals(await isChecked(table(row(1), row(2), row(3))), true);
      assertEquals(await isChecked(table(row(4), row(5), row(6), row(7))), false);
    },
  },
]);
