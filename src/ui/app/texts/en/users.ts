/** English: texts of users and roles. */

/** All of them. */
export const USERS_EN = {
  "me.readOnly": "You can view, not change. Ask an administrator for the role editor.",
  "me.adminOnly": "Only users with the role admin see this",
  "me.allTenants": "Only users of all tenants see this",
  "admin.users": "Users",
  "admin.noUsers": "A server without a log-in has no users",
  "admin.createUser": "Create a user",
  "admin.roleHint":
    "A viewer reads. An editor changes what belongs to tenants. An admin also manages users, tenants and the server.",
  "admin.userName": "User name",
  "admin.password": "Password",
  "admin.newPassword": "New password",
  "admin.oldPassword": "Present password",
  "admin.keepPassword": "Empty: the password stays",
  "admin.disabled": "No log-in",
  "admin.configured": "Set by an option of the server",
  "admin.confirmUser": "User {name} is logged out at once, and tokens of this user are revoked.",
  "admin.userDeleted": "User {name} deleted",
  "settings.changePassword": "Change password",
  "settings.passwordChanged": "Password changed. Other devices are logged out.",
} as const;
