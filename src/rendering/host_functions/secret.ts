/** `secret()`: a secret of a namespace, or one member of it. Messages never repeat any part of it. */
import { HIDDEN } from "../secret_mask.ts";
import { type HostCall, HostError, type HostFunctionTable, requiredOf, textOf } from "./host_function.ts";

/** Functions on secrets. */
export const SECRET_FUNCTIONS: HostFunctionTable = [
  ["secret", {
    parameters: ["key", "namespace", "subkey"],
    call: readSecret,
    isShared: true,
    isForAuthors: true,
  }],
];

async function readSecret({ args, caller, values, remember }: HostCall): Promise<string> {
  const name = requiredOf(args, "key");
  const namespace = textOf(args, "namespace") ?? caller.namespace;
  const flowId = caller.execution?.flowId ?? caller.flowId;
  const usedBy = flowId === undefined ? undefined : `${caller.namespace}.${flowId}`;
  const secret = await values.secret(caller.tenant, namespace, name, usedBy);
  if (secret === undefined) {
    throw new HostError(
      `Cannot find secret for key '${name}'. It does not exist in the namespace '${namespace}'`,
    );
  }
  remember(secret);
  const subkey = textOf(args, "subkey");
  if (subkey === undefined || subkey === "") return values.hidesSecrets ? HIDDEN : secret;
  const member = memberOf(secret, subkey);
  if (member === undefined) {
    throw new HostError(
      `Cannot find subkey "${subkey}" in secret "${name}": its value is no JSON object with that member`,
    );
  }
  remember(member);
  return values.hidesSecrets ? HIDDEN : member;
}

function memberOf(secret: string, name: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    return undefined; // The message of the platform would repeat a part of the secret.
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const member = (value as Record<string, unknown>)[name];
  return typeof member === "string" ? member : JSON.stringify(member);
}
