/** The user menu in a browser. */
import { assertEquals } from "../../../support/assert.ts";
import { checkAccessibility, story, withPage } from "../../../support/browser.ts";

story("the user menu leads to the pages of another tenant", async (server) => {
  const headers = { "content-type": "application/json" };
  await server.json("POST", "/tenants", { headers, body: JSON.stringify({ id: "acme", name: "Acme Inc." }) });
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/acme/namespaces");
    await page.getByRole("button", { name: "User menu" }).click();
    assertEquals(await page.getByRole("link", { name: "Acme Inc." }).getAttribute("href"), "/ui/acme/");
    await checkAccessibility(page);
  });
});
