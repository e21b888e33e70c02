/** The keys of all views in a browser. */
import { story, withPage } from "../../support/browser.ts";

story("? names the keys, g and a letter go to a view", async (server) => {
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/");
    await page.getByText("Welcome to Sluice").waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard" });
    await dialog.getByText("Replay the selected executions").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    for (const [key, title] of [["e", "Executions"], ["l", "Logs"]] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: title }).waitFor();
    }
    await page.keyboard.press("/");
    await page.keyboard.type("ge");
    await page.getByRole("heading", { name: "Logs" }).waitFor();
  });
});
