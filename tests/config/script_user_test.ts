import { assertEquals } from "@std/assert";
import { ConfigProblem, type FileContent } from "../../src/config/given.ts";
import { chooseScriptUser } from "../../src/config/script_user.ts";

const USERS = `root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin
broken line
`;
const SLUICE = "sluice:x:990:991::/var/lib/sluice:/bin/false\n";
const NOBODY = { name: "nobody", userId: 65534, groupId: 65533 };

interface Case {
  readonly name: string;
  readonly given?: string;
  readonly userId?: number;
  /** Content of the users file; absent: the file does not exist. */
  readonly users?: string;
  readonly expected: unknown;
}

const CASES: readonly Case[] = [
  {
    name: "a name",
    given: "nobody",
    userId: 0,
    users: USERS,
    expected: { scriptUser: NOBODY, hasRootScripts: false },
  },
  {
    name: "a number",
    given: "65534",
    userId: 0,
    users: USERS,
    expected: { scriptUser: NOBODY, hasRootScripts: false },
  },
  {
    name: "none, where there is the user of the server",
    userId: 0,
    users: USERS + SLUICE,
    expected: { scriptUser: { name: "sluice", userId: 990, groupId: 991 }, hasRootScripts: false },
  },
  { name: "none, where there is no such user", userId: 0, users: USERS, expected: { hasRootScripts: true } },
  { name: "none, without a list of users", userId: 0, expected: { hasRootScripts: true } },
  {
    name: "root, said in so many words",
    given: "root",
    userId: 0,
    users: USERS + SLUICE,
    expected: { scriptUser: undefined, hasRootScripts: false },
  },
  {
    name: "none, by another user than root",
    userId: 1000,
    users: USERS + SLUICE,
    expected: { hasRootScripts: false },
  },
  { name: "none, where users have no numbers", users: USERS, expected: { hasRootScripts: false } },
  {
    name: "a name that there is not",
    given: "toor",
    userId: 0,
    users: USERS,
    expected:
      'Cannot run scripts as "toor": there is no such user in "/etc/passwd"; create it, or give another --script-user',
  },
  {
    name: "a name, by another user than root",
    given: "nobody",
    userId: 1000,
    users: USERS,
    expected: 'Cannot run scripts as "nobody": the server does not run as root; leave out --script-user',
  },
];

for (const { name, given, userId, users, expected } of CASES) {
  Deno.test(`chooseScriptUser() of ${name}`, () => {
    const readFile = (path: string): FileContent =>
      path === "/etc/passwd" && users !== undefined ? { text: users } : { problem: "there is no such file" };
    const choice = chooseScriptUser(given, { userId, readFile });
    assertEquals(choice instanceof ConfigProblem ? choice.message : choice, expected);
  });
}
