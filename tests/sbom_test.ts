/** The software bill of materials that `deno task sbom` prints. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import lock from "../deno.lock" with { type: "text" };
import shipped from "./support/release/compile.lock" with { type: "text" };
import { billOfMaterials, ownBill } from "./support/release/sbom.ts";

const LOCKED = packagesOf(lock);
const SHIPPED = packagesOf(shipped);

/** `name@version` of each package; suffixes name the peers that decided a version. */
function packagesOf(text: string): string[] {
  return Object.keys(JSON.parse(text).npm).map((key) => key.replace(/(@[^@_]+)_.*$/, "$1"));
}

Deno.test("the bill of materials has every package of the lock file with its hash", async () => {
  const { components } = await ownBill();
  const libraries = components.filter(({ type }) => type === "library");
  assertEquals(libraries.map(({ name, version }) => `${name}@${version}`), LOCKED);
  for (const component of libraries) {
    const [hash] = "hashes" in component ? component.hashes : [];
    assertMatch(String(hash?.content), /^[0-9a-f]{128}$/);
  }
});

Deno.test("the bill of materials tells what is in the binary from what only tests use", async () => {
  const { components } = await ownBill();
  const required = components.filter(({ type, scope }) => type === "library" && scope === "required");
  assertEquals(required.map(({ name, version }) => `${name}@${version}`).sort(), SHIPPED.sort());
});

Deno.test("the lock file of the binary names the same packages as deno.lock", () => {
  const named = (text: string) => JSON.parse(text).workspace.dependencies;
  assertEquals(named(shipped), named(lock));
});

Deno.test("every reference in the bill of materials is that of a component", async () => {
  const { components, dependencies, metadata } = await ownBill();
  const refs = new Set([metadata.component["bom-ref"], ...components.map((each) => each["bom-ref"])]);
  const used = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
  assertEquals(used.filter((ref) => !refs.has(ref)), []);
  assertEquals(refs.size, components.length + 1);
});

const OPTIONS = { name: "x", version: "1.0.0", license: "MIT", denoVersion: "2.9.6", shipped: {} };
const integrity = `sha512-${"A".repeat(86)}==`;

Deno.test("billOfMaterials() reads scopes, peer suffixes and dependencies with a version", () => {
  const { components, dependencies } = billOfMaterials({
    ...OPTIONS,
    lock: {
      npm: {
        "@s/a@1.0.0_b@2.0.0": { integrity, dependencies: ["b@2.0.0", "c"] },
        "b@1.0.0": { integrity },
        "b@2.0.0": { integrity },
        "c@3.0.0-beta.1": { integrity },
      },
    },
  });
  assertEquals(components.map((component) => component.purl).slice(1, 3), [
    "pkg:npm/%40s/a@1.0.0",
    "pkg:npm/b@1.0.0",
  ]);
  assertEquals(dependencies[1], {
    ref: "pkg:npm/%40s/a@1.0.0",
    dependsOn: ["pkg:npm/b@2.0.0", "pkg:npm/c@3.0.0-beta.1"],
  });
  assertThrows(
    () =>
      billOfMaterials({ ...OPTIONS, lock: { npm: { "a@1.0.0": { integrity, dependencies: ["none"] } } } }),
    Error,
    'Cannot find the dependency "none"',
  );
});
