/** Bodies of forms give the same however they arrive, and refusals are the caller's alone. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { cutAt, outcomeOf, SMALL_LIMITS } from "./multipart_bodies.ts";

const TYPE = "multipart/form-data; boundary=XX";
const PIECES = [
  ...[
    "--XX",
    "--XX--",
    "\r\n--XX\r\n",
    "\r\n--XX--",
    "\r\n",
    "\r",
    "\n",
    "\r\n\r\n",
    "-",
    "--",
    "X",
    " ",
    "\t",
  ],
  ...["Content-Disposition: form-data; name=a", 'Content-Disposition: form-data; name="f"; filename="x"'],
  ...["Content-Type: text/plain", "; name=b", '"', "\\", "%22", "\u0000", "\u00ff", "x".repeat(100)],
];
const bodies = fc.array(
  fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary-ascii", maxLength: 5 })),
  {
    maxLength: 25,
  },
).map((pieces) => Uint8Array.from(`--XX\r\n${pieces.join("")}`, (sign) => sign.charCodeAt(0)));
const cuts = fc.array(fc.nat(1_000), { maxLength: 20 });

Deno.test("readForm() of any body is the same however the body is cut", async () => {
  await fc.assert(
    fc.asyncProperty(bodies, cuts, async (body, offsets) => {
      const whole = await outcomeOf(cutAt(body, []), TYPE);
      assertEquals(await outcomeOf(cutAt(body, offsets), TYPE), whole);
      assertEquals(await outcomeOf(cutAt(body, [...body.keys()]), TYPE), whole);
    }),
    { numRuns: 300, verbose: 1 },
  );
});

Deno.test("readForm() of a body above the limit is refused however the body is cut", async () => {
  const content = "x".repeat(SMALL_LIMITS.maxBytes);
  const body = new TextEncoder().encode(
    `--XX\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n${content}\r\n--XX--`,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(body.length), { maxLength: 30 }), async (offsets) => {
      const outcome = await outcomeOf(cutAt(body, offsets), TYPE);
      assertEquals(outcome.split(":")[0], "too_large");
    }),
    { numRuns: 50, verbose: 1 },
  );
});
