/** XML of responses is parsed in one turn, so its size is limited. */
import { assertEquals, assertRejects } from "@std/assert";
import { elementsAt, readXml } from "../../src/integrations/xml.ts";

Deno.test("readXml() reads 1,000 entries with names of 1,024 characters", async () => {
  const entries = `<Contents><Key>${"k".repeat(1_024)}</Key><Size>1</Size></Contents>`.repeat(1_000);
  const page = await readXml(`<ListBucketResult>${entries}</ListBucketResult>`);
  assertEquals(elementsAt(page, "ListBucketResult", "Contents").length, 1_000);
});

Deno.test("readXml() refuses what takes too long to parse", async () => {
  await assertRejects(
    () => readXml(`<a>${"<b/>".repeat(200_000)}</a>`),
    Error,
    "Cannot read the XML: it has more than 200000 elements and attributes",
  );
  await assertRejects(
    () => readXml(`<a>${"b".repeat(4_194_304)}</a>`),
    Error,
    "Cannot read the XML: it has 4194311 characters, and at most 4194304 are read",
  );
});
