/** Administration, settings and the user menu in a browser. */
import { assertEquals } from "../../support/assert.ts";
import { checkAccessibility, story, withPage } from "../../support/browser.ts";

story("/admin: the server shows its health and numbers; its commands can be copied", async (server) => {
  await withPage(server, { size: "small" }, async (page) => {
    await page.goto("/ui/admin");
    await page.getByText("UP", { exact: true }).waitFor();
    await page.getByText("Uptime").waitFor();
    await page.getByText(/^All metrics/).click();
    await page.getByText("process_resident_memory_bytes").waitFor();
    await page.goto("/ui/admin/maintenance");
    await page.getByText(/^sluice doctor --data-dir '\//).waitFor();
  });
});

story("/admin/tokens: a token is shown once, works, and is revoked", async (server) => {
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/admin/tokens");
    await page.getByText("There are no tokens yet").waitFor();
    await page.getByRole("button", { name: "Create a token" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("scripts");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    const dialog = page.getByRole("dialog", { name: "Token created" });
    const secret = await dialog.locator("pre").innerText();
    await checkAccessibility(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assertEquals((await page.content()).includes(secret), false);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There are no tokens yet").waitFor();
  });
});

story(
  "/admin/tenants: a tenant is created, opened by the user menu, and deleted by its id",
  async (server) => {
    await withPage(server, {}, async (page) => {
      await page.goto("/ui/admin/tenants");
      await page.getByRole("button", { name: "Create a tenant" }).click();
      await page.getByRole("dialog").getByLabel("Id").fill("acme");
      await page.getByRole("dialog").getByLabel("Name").fill("Acme Inc.");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "Acme Inc." }).waitFor();
      await page.goto("/ui/acme/namespaces");
      await page.getByRole("button", { name: "User menu" }).click();
      assertEquals(await page.getByRole("link", { name: "Acme Inc." }).getAttribute("href"), "/ui/acme/");
      await checkAccessibility(page);
      await page.goto("/ui/admin/tenants");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("textbox").fill("acme");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("Tenant acme deleted").waitFor();
      await page.getByRole("cell", { name: "Acme Inc." }).waitFor({ state: "detached" });
    });
  },
);

story("/settings: theme, density and language change at once, last, and are reset", async (server) => {
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/settings");
    await page.getByLabel("Theme").selectOption("dark");
    await page.getByLabel("Density").selectOption("compact");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
    assertEquals(await page.locator("html").getAttribute("data-theme"), "dark");
    await page.getByLabel("Sprache").selectOption("fr");
    await page.getByRole("heading", { name: "Réglages" }).waitFor();
    await page.getByRole("button", { name: "Tout réinitialiser" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    assertEquals(await page.locator("html").getAttribute("data-density"), "comfortable");
  });
});
