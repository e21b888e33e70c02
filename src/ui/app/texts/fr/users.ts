/** French: texts of users and roles. */
import type { USERS_EN } from "../en/users.ts";

/** All of them. */
export const USERS_FR: Readonly<Record<keyof typeof USERS_EN, string>> = {
  "me.readOnly": "Vous pouvez voir, pas modifier. Demandez le rôle editor à un administrateur.",
  "me.adminOnly": "Réservé aux utilisateurs qui ont le rôle admin",
  "me.allTenants": "Réservé aux utilisateurs de tous les locataires",
  "admin.users": "Utilisateurs",
  "admin.noUsers": "Un serveur sans connexion n'a pas d'utilisateurs",
  "admin.createUser": "Créer un utilisateur",
  "admin.roleHint":
    "viewer : lit. editor : modifie ce qui appartient aux locataires. admin : gère aussi les utilisateurs, les locataires et le serveur.",
  "admin.userName": "Nom d'utilisateur",
  "admin.password": "Mot de passe",
  "admin.newPassword": "Nouveau mot de passe",
  "admin.oldPassword": "Mot de passe actuel",
  "admin.keepPassword": "Vide : le mot de passe reste",
  "admin.disabled": "Connexion interdite",
  "admin.configured": "Défini par une option du serveur",
  "admin.confirmUser": "L'utilisateur {name} est déconnecté aussitôt et ses jetons sont révoqués.",
  "admin.userDeleted": "Utilisateur {name} supprimé",
  "settings.changePassword": "Changer le mot de passe",
  "settings.passwordChanged": "Mot de passe changé. Les autres appareils sont déconnectés.",
};
