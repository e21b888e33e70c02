/** Numbers of Ion texts have one length limit, in whichever base they are written. */
import { assertEquals, assertThrows } from "@std/assert";
import { IonError, ionText, parseIonText } from "../../../src/languages/ion/mod.ts";

for (const text of [`0x${"F".repeat(998)}`, `-0x${"F".repeat(900)}`, "1".repeat(1_001)]) {
  Deno.test(`parseIonText() refuses a number of ${text.length} characters that begins with ${text.slice(0, 4)}`, () => {
    assertThrows(() => parseIonText(text), IonError, "more than 1000 characters");
  });
}

for (const text of [`0x${"F".repeat(800)}`, `0b${"1".repeat(998)}`, "9".repeat(1_000)]) {
  Deno.test(`ionText() of a number of ${text.length} characters that begins with ${text.slice(0, 4)} can be read`, () => {
    const value = parseIonText(text);
    assertEquals(parseIonText(ionText(value)), value);
  });
}
