/** Who uses the page, and what they may do. The server decides; the page leaves out what it would refuse. */
import { signal } from "@preact/signals";
import type { Right, Role } from "../../../model/access/role.ts";
import { get } from "../api/client.ts";
import { tenantOf } from "./places.ts";

interface Person {
  readonly username: string;
  readonly role: Role;
  readonly rights: readonly Right[];
  /** The password can be changed here. */
  readonly hasPassword: boolean;
  readonly tenants: readonly { readonly id: string; readonly name: string }[];
}

/** The person, and whether the server asks for credentials. */
export interface Access {
  readonly person: Person;
  readonly isProtected: boolean;
}

/** `undefined` until it is loaded. */
export const access = signal<Access | undefined>(undefined);

/** Whether the person has the right; true until it is known. */
export function may(right: Right): boolean {
  return access.value?.person.rights.includes(right) ?? true;
}

/** Loads it. Styles hide what a viewer may not use: they find the role at the document. */
export async function loadAccess(signal: AbortSignal): Promise<Access> {
  const { isBasicAuthEnabled } = await get<{ isBasicAuthEnabled: boolean }>("/api/v1/configs", {}, signal);
  const person = await get<Person>("/api/v1/me", {}, signal);
  document.documentElement.dataset["role"] = person.role;
  const [first] = person.tenants;
  const present = tenantOf(location.pathname);
  // The pages of another tenant show nothing.
  if (first && !person.tenants.some(({ id }) => id === present)) location.replace(`/ui/${first.id}/`);
  return access.value = { person, isProtected: isBasicAuthEnabled };
}
