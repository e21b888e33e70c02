/** The recipes below docs/deploy, as far as they can be checked without containers. */
import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { OPTIONS, optionVariable } from "../src/config/options.ts";

const FOLDER = new URL("../docs/deploy/", import.meta.url);
/** Variables of the parts of a cluster that have options of their own. */
const CLUSTER_VARIABLES = ["SLUICE_ADVERTISE", "SLUICE_CLUSTER_INSECURE", "SLUICE_TOKEN"];

interface Service {
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cap_drop?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
}

async function readCompose(name: string): Promise<Compose> {
  return parse(await Deno.readTextFile(new URL(name, FOLDER)), { merge: true }) as Compose;
}

for (const name of ["compose.yaml", "compose.cluster.yaml"]) {
  Deno.test(`docs/deploy/${name} sets options that exist, and drops all capabilities`, async () => {
    const known = new Set([
      ...Object.keys(OPTIONS).map((option) => optionVariable(option as never)),
      ...CLUSTER_VARIABLES,
    ]);
    const { services } = await readCompose(name);
    for (const [service, { environment = {}, cap_drop }] of Object.entries(services)) {
      const own = Object.keys(environment).filter((variable) => variable.startsWith("SLUICE_"));
      assertEquals(own.filter((variable) => !known.has(variable)), []);
      if (service !== "denokv") assertEquals(cap_drop, ["ALL"]);
    }
  });
}

Deno.test("docs/deploy/compose.cluster.yaml has three servers with an address each, on one database", async () => {
  const { services } = await readCompose("compose.cluster.yaml");
  const servers = Object.entries(services).filter(([, { environment }]) => environment?.SLUICE_ADVERTISE);
  assertEquals(
    servers.map((
      [name, { environment }],
    ) => [name, environment?.SLUICE_ADVERTISE, environment?.SLUICE_DATABASE]),
    [
      ["sluice1", "http://sluice1:8080", "http://denokv:4512"],
      ["sluice2", "http://sluice2:8080", "http://denokv:4512"],
      ["sluice3", "http://sluice3:8080", "http://denokv:4512"],
    ],
  );
});

Deno.test("docs/deploy/Containerfile runs as a user without rights, with a volume and a health check", async () => {
  const lines = (await Deno.readTextFile(new URL("Containerfile", FOLDER))).split("\n");
  assertEquals(lines.filter((line) => /^(?:USER|VOLUME)/.test(line)), ["USER 10001:10001", "VOLUME /data"]);
  assert(lines.some((line) => line.startsWith("HEALTHCHECK")));
});
