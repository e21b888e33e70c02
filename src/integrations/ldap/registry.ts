/** The types for directories of LDAP. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { ldapAdd, ldapDelete, ldapModify } from "./changes.ts";
import { ldapSearch } from "./search.ts";

/** Types below `ldap.`. */
export const LDAP_TASKS: readonly TaskDefinition[] = Object.freeze([
  ldapAdd,
  ldapDelete,
  ldapModify,
  ldapSearch,
]);
