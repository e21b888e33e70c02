/** Texts of the log-in and the set-up of the first user. The server draws these pages: they work without scripts. */
import type { Language } from "./bundle.ts";

const EN = {
  logIn: "Log in",
  setUp: "Set the first user",
  setUser: "Set the user",
  userName: "User name",
  password: "Password",
  newPassword: "Password, at least 8 characters",
  token: "Set-up token",
  noUser: "This server has no user yet.",
  noUserToken: "This server has no user yet. It printed a set-up token when it started.",
  wrong: "The user name or the password is wrong.",
  tooMany: "Too many failed log-ins: try again later",
  skip: "Skip to content",
};

/** Texts by name. */
export type LoginTexts = Readonly<typeof EN>;

const DE: LoginTexts = {
  logIn: "Anmelden",
  setUp: "Ersten Benutzer festlegen",
  setUser: "Benutzer festlegen",
  userName: "Benutzername",
  password: "Passwort",
  newPassword: "Passwort, mindestens 8 Zeichen",
  token: "Einrichtungscode",
  noUser: "Dieser Server hat noch keinen Benutzer.",
  noUserToken: "Dieser Server hat noch keinen Benutzer. Beim Start hat er einen Einrichtungscode ausgegeben.",
  wrong: "Der Benutzername oder das Passwort ist falsch.",
  tooMany: "Zu viele fehlgeschlagene Anmeldungen: Versuchen Sie es später noch einmal",
  skip: "Zum Inhalt springen",
};

const FR: LoginTexts = {
  logIn: "Se connecter",
  setUp: "Définir le premier utilisateur",
  setUser: "Définir l'utilisateur",
  userName: "Nom d'utilisateur",
  password: "Mot de passe",
  newPassword: "Mot de passe, 8 caractères au moins",
  token: "Jeton de configuration",
  noUser: "Ce serveur n'a pas encore d'utilisateur.",
  noUserToken:
    "Ce serveur n'a pas encore d'utilisateur. Il a affiché un jeton de configuration à son démarrage.",
  wrong: "Le nom d'utilisateur ou le mot de passe est incorrect.",
  tooMany: "Trop de connexions échouées : réessayez plus tard",
  skip: "Aller au contenu",
};

/** The texts of each language. */
export const LOGIN_TEXTS: Readonly<Record<Language, LoginTexts>> = { en: EN, de: DE, fr: FR };
