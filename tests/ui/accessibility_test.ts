/** What a check of accessibility finds after it has passed for similar pages. */
import { assertRejects } from "@std/assert";
import { checkAccessibility, hasBrowser, type Page, withBrowser } from "../support/browser.ts";

const pageOf = (body: string, style = "") =>
  `<!doctype html><html lang="en"><head><title>Page</title><style>${style}</style></head><body>${body}</body></html>`;
const GOOD = '<main><p class="note">Text</p><button>Save</button><label>Name <input></label></main>';

/** Pages that differ from one that has passed, each by a breach of a rule. */
const BREACHES: readonly { readonly rule: string; readonly body: string; readonly style?: string }[] = [
  { rule: "button-name", body: GOOD.replace("Save", "") },
  { rule: "label", body: GOOD.replace("<label>Name <input></label>", "<input>") },
  { rule: "color-contrast", body: GOOD, style: ".note { color: #ccc; background: #fff }" },
  { rule: "color-contrast", body: GOOD, style: "main { color: #000; background: #222 }" },
  { rule: "aria-valid-attr-value", body: GOOD.replace("<button>", '<button aria-expanded="maybe">') },
  {
    rule: "aria-required-children",
    body: GOOD.replace("Text</p>", '</p><div role="list"><a href="/">x</a></div>'),
  },
  { rule: "image-alt", body: GOOD.replace("Text", 'Text <img src="data:,">') },
];

async function check(page: Page, html: string): Promise<void> {
  await page.setContent(html);
  await checkAccessibility(page);
}

Deno.test({
  name: "checkAccessibility() finds a breach in a page that is like one that has passed",
  ignore: !hasBrowser,
  fn: () =>
    withBrowser(async (browser) => {
      const page = await browser.newPage();
      await check(page, pageOf(GOOD));
      for (const { rule, body, style } of BREACHES) {
        await check(page, pageOf(GOOD));
        await assertRejects(() => check(page, pageOf(body, style)), Error, `${rule}: `);
      }
      await assertRejects(
        () => check(page, pageOf(GOOD).replace("<title>Page</title>", "")),
        Error,
        "document-title: ",
      );
    }),
});
