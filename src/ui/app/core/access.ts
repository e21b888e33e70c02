/** Who uses the page, and what they may do. The server decides; the page leaves out what it would refuse. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Right, Role } from "../../../model/access/role.ts";
import { get } from "../api/client.ts";
import { tenantOf } from "./places.ts";

interface Person {
  readonly username: string;
  readonly role: Role;
  readonly rights: readonly Right[];
  /** To some tenants. */
  readonly isLimited: boolean;
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

/** `server`: to see what concerns all tenants. */
export type Need = Right | "server";

/** Whether the person has the right; true until it is known. */
export function may(need: Need): boolean {
  const person = access.value?.person;
  if (!person) return true;
  return need === "server" ? !person.isLimited : person.rights.includes(need);
}

/** Its content for those who have the right; others see nothing of it. */
export function May({ right = "change", children }: {
  readonly right?: Need;
  readonly children: ComponentChildren;
}) {
  return may(right) ? children : null;
}

/** Loads it. */
export async function loadAccess(signal: AbortSignal): Promise<Access> {
  const [{ isBasicAuthEnabled }, person] = await Promise.all([
    get<{ isBasicAuthEnabled: boolean }>("/api/v1/configs", {}, signal),
    get<Person>("/api/v1/me", {}, signal),
  ]);
  const [first] = person.tenants;
  const present = tenantOf(location.pathname);
  // The pages of another tenant show nothing.
  if (first && !person.tenants.some(({ id }) => id === present)) location.replace(`/ui/${first.id}/`);
  return access.value = { person, isProtected: isBasicAuthEnabled };
}
