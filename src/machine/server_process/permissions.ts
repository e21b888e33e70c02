/** Gives up the permissions of the process that its configuration never needs. */
import type { Config } from "../../config/mod.ts";
import { isLoopback } from "../../base/network/ip.ts";

/**
 * Call this once the server has started. Without scripts and plugins the process can start no program any more, whatever code runs in
 * it. Nothing else can be narrowed after the start: a permission for all paths or variables cannot become one for some.
 */
export async function narrowPermissions(
  { scripts, host, isDeploy, plugins }: Pick<Config, "scripts" | "host" | "isDeploy" | "plugins">,
  permissions: Pick<Deno.Permissions, "revoke"> = Deno.permissions,
): Promise<void> {
  const mayRunScripts = scripts === undefined ? isLoopback(host) : scripts !== "off";
  if (isDeploy || mayRunScripts || plugins !== undefined) return;
  await permissions.revoke({ name: "run" });
}
