/** Markup that users write is shown as text, or cleaned, in every view; it never runs. */
import { assertEquals } from "../../support/assert.ts";
import { stories } from "../../support/browser/browser.ts";
import { runFlow, saveFlow } from "./flows.ts";

const MARKUP = "<img src=x onerror=hacked=1><script>hacked=1</script>";
const SOURCE = `id: markup
namespace: shop
description: ${JSON.stringify(`**bold** ${MARKUP} [link](javascript:hacked=1)`)}
labels: {note: ${JSON.stringify(MARKUP)}}
inputs:
  - {id: name, type: STRING, displayName: ${JSON.stringify(MARKUP)}, defaults: ${JSON.stringify(MARKUP)}}
tasks:
  - {id: say, type: io.svc.plugin.core.log.Log, message: ${JSON.stringify(MARKUP)}}
  - {id: give, type: io.svc.plugin.core.debug.Return, format: ${JSON.stringify(MARKUP)}}
`;

stories("markup of users", [
  {
    name: "does not run in pages of flows, executions and logs",
    async run(page, server) {
      await saveFlow(server, SOURCE);
      const id = await runFlow(server, "shop/markup");
      const execution = `/ui/executions/shop/markup/${id}`;
      for (
        const [path, shown] of [
          ["/ui/flows", MARKUP],
          ["/ui/flows/edit/shop/markup", "bold"],
          ["/ui/flows/edit/shop/markup?run=1", MARKUP],
          ["/ui/executions", MARKUP],
          [execution, MARKUP],
          [`${execution}/logs`, MARKUP],
          [`${execution}/outputs`, MARKUP],
          ["/ui/logs", MARKUP],
        ] as const
      ) {
        await page.goto(path);
        await page.getByText(shown).first().waitFor();
        const hacked = await page.evaluate(() => "hacked" in globalThis);
        const links = await page.locator('a[href^="javascript"], main img').count();
        assertEquals([path, hacked, links], [path, false, 0]);
      }
    },
  },
]);
