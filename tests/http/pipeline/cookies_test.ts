import { assertEquals } from "@std/assert";
import {
  cookieCredentials,
  removeSessionCookies,
  setSessionCookies,
} from "../../../src/http/pipeline/cookies.ts";

const BASIC = "YW5uYTpwdz8=";
/** `Cookie` headers, and the session and the `Authorization` value they carry. */
const HEADERS: readonly (readonly [header: string | null, session?: string, authorization?: string])[] = [
  [null],
  [""],
  ["theme=dark; BASIC_AUTH=; SLUICE_SESSION"],
  ["xBASIC_AUTH=a; SLUICE_SESSION2=b"],
  ["SLUICE_SESSION=abc", "abc"],
  ["theme=dark;SLUICE_SESSION=abc;x", "abc"],
  [`BASIC_AUTH=${BASIC}`, undefined, `Basic ${BASIC}`],
  [`BASIC_AUTH="${BASIC}"`, undefined, `Basic ${BASIC}`],
  ["BASIC_AUTH=YW5uYTpwdz8%3D", undefined, `Basic ${BASIC}`],
  [`SLUICE_SESSION=abc; BASIC_AUTH=${BASIC}`, "abc", `Basic ${BASIC}`],
];

for (const [header, session, authorization] of HEADERS) {
  Deno.test(`cookieCredentials() reads ${JSON.stringify(header)}`, () => {
    const found = cookieCredentials(header);
    assertEquals([found?.session, found?.authorization], [session, authorization]);
  });
}

Deno.test("setSessionCookies() keeps the session from scripts and other sites", () => {
  const headers = new Headers();
  setSessionCookies(headers, "abc", true);
  assertEquals(headers.getSetCookie(), [
    "SLUICE_SESSION=abc; HttpOnly; Path=/; SameSite=Strict; Secure",
    "kestraBasicAuthenticated=true; Path=/; SameSite=Strict; Secure",
  ]);
});

Deno.test("removeSessionCookies() removes those of front ends, too", () => {
  const headers = new Headers();
  removeSessionCookies(headers, false);
  const names = headers.getSetCookie().map((cookie) =>
    cookie.replace("; Max-Age=0; Path=/; SameSite=Strict", "")
  );
  assertEquals(names, ["SLUICE_SESSION=", "BASIC_AUTH=", "kestraBasicAuthenticated="]);
});
