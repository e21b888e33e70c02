/** Chooses the user that scripts run as. */
import { ConfigProblem, type ReadFile } from "./given.ts";

/** A user of the machine, with its primary group. */
export interface MachineUser {
  readonly name: string;
  readonly userId: number;
  readonly groupId: number;
}

/** Facts of the machine. */
export interface UserFacts {
  /** The user id of the server; `undefined` on platforms without user ids. */
  readonly userId: number | undefined;
  readonly readFile: ReadFile;
}

interface ScriptUserChoice {
  /** Absent: the user of the server. */
  readonly scriptUser?: MachineUser;
  /** Scripts run as root although not configured. */
  readonly hasRootScripts: boolean;
}

const USERS_FILE = "/etc/passwd";
/** Default user, if it exists. */
const DEFAULT_NAME = "sluice";
const ROOT = 0;
const LINE = /^([^:]+):[^:]*:(\d+):(\d+):/;

/** The user of that name or id; by default the user "sluice" if it exists. Only root can run scripts as another user. */
export function chooseScriptUser(
  given: string | undefined,
  { userId, readFile }: UserFacts,
): ScriptUserChoice | ConfigProblem {
  if (userId !== ROOT) {
    if (given === undefined) return { hasRootScripts: false };
    return new ConfigProblem(
      `Cannot run scripts as "${given}": the server does not run as root; leave out --script-user`,
    );
  }
  const user = readUsers(readFile).find(({ name, userId }) =>
    given === undefined ? name === DEFAULT_NAME : name === given || String(userId) === given
  );
  if (user) return { scriptUser: user.userId === ROOT ? undefined : user, hasRootScripts: false };
  if (given === undefined) return { hasRootScripts: true };
  return new ConfigProblem(
    `Cannot run scripts as "${given}": there is no such user in "${USERS_FILE}"; create it, or give another --script-user`,
  );
}

function readUsers(readFile: ReadFile): MachineUser[] {
  const content = readFile(USERS_FILE);
  if (!("text" in content)) return [];
  return content.text.split("\n").flatMap((line) => {
    const [, name, userId, groupId] = LINE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, userId: Number(userId), groupId: Number(groupId) }];
  });
}
