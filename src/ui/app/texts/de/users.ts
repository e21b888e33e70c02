/** German: texts of users and roles. */
import type { USERS_EN } from "../en/users.ts";

/** All of them. */
export const USERS_DE: Readonly<Record<keyof typeof USERS_EN, string>> = {
  "me.readOnly": "Sie können ansehen, nicht ändern. Bitten Sie einen Administrator um die Rolle editor.",
  "me.adminOnly": "Nur Benutzer mit der Rolle admin sehen dies",
  "me.allTenants": "Nur Benutzer aller Mandanten sehen dies",
  "admin.users": "Benutzer",
  "admin.noUsers": "Ein Server ohne Anmeldung hat keine Benutzer",
  "admin.createUser": "Benutzer anlegen",
  "admin.roleHint":
    "viewer: liest. editor: ändert, was zu Mandanten gehört. admin: verwaltet auch Benutzer, Mandanten und den Server.",
  "admin.userName": "Benutzername",
  "admin.password": "Passwort",
  "admin.newPassword": "Neues Passwort",
  "admin.oldPassword": "Bisheriges Passwort",
  "admin.keepPassword": "Leer: das Passwort bleibt",
  "admin.disabled": "Keine Anmeldung",
  "admin.configured": "Durch eine Option des Servers bestimmt",
  "admin.confirmUser": "Benutzer {name} wird sofort abgemeldet, seine Token werden widerrufen.",
  "admin.userDeleted": "Benutzer {name} gelöscht",
  "settings.changePassword": "Passwort ändern",
  "settings.passwordChanged": "Passwort geändert. Andere Geräte sind abgemeldet.",
};
