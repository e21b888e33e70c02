/** The menu of the person at the right of the top bar: who they are, their tenants, log-out. */
import { get } from "../api/client.ts";
import { tenantOf } from "../core/places.ts";
import { useResource } from "../core/resource.ts";
import { t } from "../texts/mod.ts";
import { ICONS } from "./icons.tsx";

interface Person {
  readonly username: string;
  readonly tenants: readonly { readonly id: string; readonly name: string }[];
}

interface Access {
  /** Absent: the caller is limited to some tenants. */
  readonly person?: Person;
  readonly isProtected: boolean;
}

const MENU = "user-menu";
const MAIN = "main";

/** A button with its menu. */
export function UserMenu() {
  const { data } = useResource("me", readAccess);
  return (
    <>
      <button type="button" class="plain user" aria-label={t("me.menu")} popovertarget={MENU}>
        {ICONS.user}
      </button>
      <div id={MENU} popover="auto" class="user-menu">
        {data && <Menu access={data} />}
      </div>
    </>
  );
}

function Menu({ access: { person, isProtected } }: { readonly access: Access }) {
  const tenants = person?.tenants ?? [];
  return (
    <>
      <p>{titleOf(person, isProtected)}</p>
      {tenants.length > 1 && (
        <ul aria-label={t("me.tenant")}>
          {tenants.map(({ id, name }) => (
            <li key={id}>
              <a
                href={id === MAIN ? "/ui/" : `/ui/${encodeURIComponent(id)}/`}
                aria-current={id === tenantOf(location.pathname) ? "true" : undefined}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
      {isProtected && (
        <form method="post" action="/ui/logout">
          <button type="submit">{t("nav.logOut")}</button>
        </form>
      )}
    </>
  );
}

function titleOf(person: Person | undefined, isProtected: boolean): string {
  if (!isProtected) return t("me.open");
  return person ? t("me.signedIn", { user: person.username }) : t("me.limited");
}

async function readAccess(signal: AbortSignal): Promise<Access> {
  const { isBasicAuthEnabled } = await get<{ isBasicAuthEnabled: boolean }>("/api/v1/configs", {}, signal);
  const person = await get<Person>("/api/v1/me", {}, signal).catch(() => undefined);
  return { person, isProtected: isBasicAuthEnabled };
}
