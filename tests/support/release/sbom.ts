/**
 * Prints the software bill of materials: CycloneDX 1.6 JSON of the packages in `deno.lock`. It contains no time and no random
 * number: the same lock file and runtime give the same text. https://cyclonedx.org/docs/1.6/json/
 */
const MANIFEST = new URL("../../../deno.json", import.meta.url);
const LOCK = new URL("../../../deno.lock", import.meta.url);
/** What the binary holds. */
const COMPILE_LOCK = new URL("./compile.lock", import.meta.url);

/** The part of a lock file that lists packages. */
interface Lock {
  /** By `name@version`, with a suffix of peer dependencies where they decide. */
  readonly npm?: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  /** `sha512-` and base64. */
  readonly integrity: string;
  /** Names, with a version where the lock file has several. */
  readonly dependencies?: readonly string[];
}

/** A package of the bill. */
interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** `required`: in the binary; `excluded`: only tests use it. */
  readonly scope: "required" | "excluded";
  readonly hashes: readonly { readonly alg: "SHA-512"; readonly content: string }[];
}

interface BillOptions {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly denoVersion: string;
  readonly lock: Lock;
  /** The packages of the binary. */
  readonly shipped: Lock;
}

/** The bill of a program with these packages, in the order of the lock file. */
export function billOfMaterials({ name, version, license, denoVersion, lock, shipped }: BillOptions) {
  const packages = Object.entries(lock.npm ?? {});
  const keys = packages.map(([key]) => key);
  const program = `${name}@${version}`;
  const runtime = `pkg:github/denoland/deno@v${denoVersion}`;
  const dependencies = packages.map(([key, { dependencies = [] }]) => ({
    ref: refOf(key),
    dependsOn: dependencies.map((dependency) => resolve(dependency, keys)),
  }));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": program,
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: "deno",
        version: denoVersion,
        purl: runtime,
        scope: "required",
      },
      ...packages.map(([key, locked]) => componentOf(key, locked, shipped)),
    ],
    dependencies: [{ ref: program, dependsOn: [runtime, ...keys.map(refOf)] }, ...dependencies],
  };
}

function componentOf(key: string, { integrity }: LockedPackage, shipped: Lock): Component {
  const [name, version] = partsOf(key);
  return {
    type: "library",
    "bom-ref": refOf(key),
    name,
    version,
    purl: refOf(key),
    scope: Object.hasOwn(shipped.npm ?? {}, key) ? "required" : "excluded",
    hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex() }],
  };
}

/** The package URL: https://github.com/package-url/purl-spec */
function refOf(key: string): string {
  const [name, version] = partsOf(key);
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function partsOf(key: string): readonly [name: string, version: string] {
  const [, name = "", version = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
  return [name, version];
}

/** The reference of a dependency: a name, or a name with the version that is meant. */
function resolve(dependency: string, keys: readonly string[]): string {
  const [name, version] = partsOf(dependency);
  const found = keys.find((key) => {
    const [itsName, itsVersion] = partsOf(key);
    return version === "" ? itsName === dependency : itsName === name && itsVersion === version;
  });
  if (found !== undefined) return refOf(found);
  throw new Error(`Cannot find the dependency "${dependency}" in the lock file`);
}

async function readJson(file: URL) {
  return JSON.parse(await Deno.readTextFile(file));
}

/** The bill of this program. */
export async function ownBill() {
  const { version, license } = await readJson(MANIFEST);
  const [lock, shipped] = [await readJson(LOCK), await readJson(COMPILE_LOCK)];
  return billOfMaterials({ name: "sluice", version, license, denoVersion: Deno.version.deno, lock, shipped });
}

if (import.meta.main) {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(await ownBill(), null, 2) + "\n"));
}
