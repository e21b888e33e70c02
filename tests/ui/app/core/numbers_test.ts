/** Numbers as people read them. */
import { assertEquals } from "../../../support/assert.ts";
import { countText, decimalText } from "../../../../src/ui/app/core/numbers.ts";
import { withPreferences } from "../preferred.ts";

// What Deno finds depends on the machine, and may have no separators.
Object.defineProperty(navigator, "languages", { value: ["en-GB"] });

Deno.test("numbers have the form of the chosen language, also after another was chosen", () => {
  const cases = [
    ["en", "3,012", "94.9", "1.50"],
    ["de", "3.012", "94,9", "1,50"],
    ["fr", "3\u202f012", "94,9", "1,50"],
    ["en", "3,012", "94.9", "1.50"],
  ] as const;
  for (const [language, count, rate, decimal] of cases) {
    withPreferences({ language }, () => {
      assertEquals(
        [countText(3_012), countText(94.9), decimalText(1.5, 2)],
        [count, rate, decimal],
        language,
      );
    });
  }
});

Deno.test("a number has the decimals that it needs, up to a limit", () => {
  withPreferences({ language: "en" }, () => {
    assertEquals([1.23456, 2, 0.5].map((value) => countText(value, 2)), ["1.23", "2", "0.5"]);
    assertEquals(countText(1.23456), "1.235");
  });
});
