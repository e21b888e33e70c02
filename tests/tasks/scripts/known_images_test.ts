/** What is known of images. */
import { assertEquals } from "@std/assert";
import { knownImage, namedImage } from "../../../src/tasks/scripts/known_images.ts";

/** Image, language, version. */
const IMAGES: readonly (readonly [name: string, ...content: (string | undefined)[]])[] = [
  ["python", "python", undefined],
  ["python:3.12", "python", "3.12"],
  ["python:3.11-slim", "python", "3.11"],
  ["python:3.12.4-alpine3.20", "python", "3.12.4"],
  ["python:slim", "python", undefined],
  ["python:latest", "python", undefined],
  ["docker.io/library/python:3.10-bookworm@sha256:0123", "python", "3.10"],
  ["ghcr.io/astral-sh/uv:python3.12-bookworm-slim", "python", "3.12"],
  ["node:20", "node", "20"],
  ["node:22-alpine", "node", "22"],
  ["node:lts", "node", undefined],
  ["ghcr.io/kestra-io/pydata:latest", "python", undefined],
  ["ghcr.io/kestra-io/dbt-duckdb:1.8", "python", undefined],
  ["localhost:5000/python:3.12"],
  ["acme/python:3.12"],
  ["ubuntu"],
  [""],
];

for (const [name, language, version] of IMAGES) {
  Deno.test(`knownImage() ${name || "an empty name"}`, () => {
    const image = knownImage(name);
    assertEquals([image?.language, image?.version], [language, version]);
  });
}

Deno.test("knownImage() lists the packages of images of the field", () => {
  assertEquals(knownImage("kestra-io/kestrapy")?.packages, ["kestra", "amazon.ion"]);
  assertEquals(knownImage("ghcr.io/kestra-io/dbt-duckdb")?.packages, ["dbt-core", "dbt-duckdb"]);
  assertEquals(knownImage("python:3.12")?.packages, undefined);
});

Deno.test("namedImage() reads each property that names an image", () => {
  const named = (properties: Parameters<typeof namedImage>[0]) => namedImage(properties)?.version;
  assertEquals(named({ containerImage: "python:3.9" }), "3.9");
  assertEquals(named({ taskRunner: { type: "x", image: "python:3.8" } }), "3.8");
  assertEquals(named({ docker: { image: "python:3.7" } }), "3.7");
  assertEquals(named({}), undefined);
});
