/** Whether the platform runs the program, so that it has no command line, no disk and no port of its own. */

/** True on Deno Deploy. */
export function isOnDeploy(environment: Readonly<Record<string, string>>): boolean {
  const isSet = (name: string) => Object.hasOwn(environment, name) && environment[name] !== "";
  return isSet("DENO_DEPLOY") || isSet("DENO_DEPLOYMENT_ID");
}
