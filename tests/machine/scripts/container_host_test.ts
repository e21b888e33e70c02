import { assertEquals, assertMatch } from "@std/assert";
import { ContainerHost, type ContainerHostOptions } from "../../../src/machine/scripts/container_host.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";

/** Programs by name: what they print, or the last line of their error stream. */
type Programs = Readonly<Record<string, string | { readonly fails: string }>>;

async function withPrograms(
  programs: Programs,
  use: (
    hostOf: (options?: Partial<ContainerHostOptions>) => ContainerHost,
    write: (programs: Programs) => Promise<void>,
    clock: FakeClock,
  ) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const clock = new FakeClock();
    const write = async (added: Programs) => {
      for (const [name, output] of Object.entries(added)) {
        const action = typeof output === "string" ? `echo "${output}"` : `echo "${output.fails}" >&2; exit 1`;
        await writeProgram(`${folder}/${name}`, `#!/bin/sh\n${action}\n`);
      }
    };
    await write(programs);
    const env = { PATH: folder };
    await use((options) => new ContainerHost({ clock, env, runtime: "auto", ...options }), write, clock);
  });
}

Deno.test("ContainerHost.find() takes the first runtime that works, and remembers it", async () => {
  await withPrograms(
    { docker: { fails: "no daemon" }, podman: "4.9", nerdctl: "2.0" },
    async (hostOf, write) => {
      const host = hostOf();
      assertEquals(host.known, undefined);
      assertEquals(await host.find(), { runtime: "podman", version: "4.9" });
      await write({ podman: { fails: "gone" }, docker: "28" });
      assertEquals(await host.find(), { runtime: "podman", version: "4.9" });
      host.doubt(7);
      assertEquals(host.known, { runtime: "podman", version: "4.9" });
      host.doubt(125);
      assertEquals(await host.find(), { runtime: "docker", version: "28" });
    },
  );
});

Deno.test("ContainerHost.find() gives the reason of each, and looks again after ten seconds", async () => {
  await withPrograms({ docker: { fails: "no daemon" } }, async (hostOf, write, clock) => {
    const host = hostOf();
    const missing = { problem: "docker: no daemon; podman: not installed; nerdctl: not installed" };
    assertEquals(await host.find(), missing);
    await write({ podman: "4.9" });
    assertEquals(await host.find(), missing);
    await clock.advance(10_001);
    assertEquals(await host.find(), { runtime: "podman", version: "4.9" });
  });
});

Deno.test("ContainerHost.refresh() waits for the first search only", async () => {
  await withPrograms({}, async (hostOf, write, clock) => {
    await using host = hostOf({ runtime: "podman" });
    await host.refresh();
    assertEquals(host.known, undefined);
    const finding = host.find();
    await host.refresh();
    assertEquals(host.known, { problem: "podman: not installed" });
    await finding;
    await write({ podman: "4.9" });
    await clock.advance(10_001);
    await host.refresh();
    await host[Symbol.asyncDispose]();
    assertEquals(host.known, { runtime: "podman", version: "4.9" });
  });
});

Deno.test("ContainerHost.find() looks only for the runtime of the option", async () => {
  await withPrograms({ docker: "28" }, async (hostOf) => {
    assertEquals(await hostOf({ runtime: "podman" }).find(), { problem: "podman: not installed" });
    const none = hostOf({ runtime: "none" });
    assertMatch(
      JSON.stringify([none.known, await none.find()]),
      /--container-runtime none.*--container-runtime none/,
    );
  });
});

Deno.test("ContainerHost.allows() what the operator allows, and what processes may do anyway", () => {
  const of = (options: Partial<ContainerHostOptions>) =>
    new ContainerHost({ clock: new FakeClock(), env: {}, ...options });
  const host = of({ allowed: ["volumes"], hasProcesses: () => false });
  assertEquals([host.allows("volumes"), host.allows("privileged"), host.allows("networks")], [
    true,
    false,
    false,
  ]);
  const beside = of({ hasProcesses: () => true });
  assertEquals([beside.allows("networks"), beside.allows("manage"), beside.allows("volumes")], [
    true,
    true,
    false,
  ]);
});
