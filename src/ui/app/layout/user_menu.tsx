/** The menu of the person at the right of the top bar: who they are, their tenants, log-out. */
import { type Access, loadAccess } from "../core/access.ts";
import { tenantOf } from "../core/places.ts";
import { useResource } from "../core/resource.ts";
import { t } from "../texts/mod.ts";
import { ICONS } from "./icons.tsx";

const MENU = "user-menu";
const MAIN = "main";

/** A button with its menu. */
export function UserMenu() {
  const { data } = useResource("me", loadAccess);
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
  const { tenants } = person;
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

function titleOf({ username: user, role }: Access["person"], isProtected: boolean): string {
  return isProtected ? t("me.signedIn", { user, role }) : t("me.open");
}
