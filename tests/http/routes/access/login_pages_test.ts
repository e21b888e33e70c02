import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../../src/http/env.ts";
import { ADMIN, type AppSetup, type AppUnderTest, startApp } from "../../app_under_test.ts";

const PAGE = "/ui/executions/demo/hello/A0Abc12XyZ90QwErTyUiOp?tab=logs";
const BROWSER = { "sec-fetch-mode": "navigate", accept: "text/html" };
const SAME_SITE = { "sec-fetch-site": "same-origin" };

function start(setup: AppSetup): Promise<AppUnderTest> {
  const webRoutes = new Hono<AppEnv>();
  webRoutes.get("/", (c) => c.text(`start page of ${c.get("actor").user}`));
  webRoutes.get("/executions/:namespace/:flowId/:id", (c) => c.text("execution page"));
  return startApp({ webRoutes, ...setup });
}

function submit(server: AppUnderTest, path: string, fields: Record<string, string>, address?: string) {
  const body = new URLSearchParams(fields);
  return server.send(path, { method: "POST", body, headers: SAME_SITE }, address);
}

async function locationOf(response: Response): Promise<string | null> {
  await response.body?.cancel();
  assertEquals(response.status, 303);
  return response.headers.get("location");
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]).join("; ");
}

Deno.test("a browser without credentials is sent to the log-in page, and back after the log-in", async () => {
  await using server = await start({ isProtected: true });
  const location = await locationOf(await server.send(PAGE, { headers: BROWSER }));
  assertEquals(location, `/ui/login?from=${encodeURIComponent(PAGE)}`);
  const form = await server.send(location ?? "");
  const text = await form.text();
  assertEquals(form.status, 200);
  assertStringIncludes(text, `<input type="hidden" name="from" value="${PAGE}">`);
  const entered = await submit(server, "/ui/login", {
    username: "admin",
    password: ADMIN.password,
    from: PAGE,
  });
  assertEquals(await locationOf(entered), PAGE);
  const cookie = cookieOf(entered);
  assertEquals(await (await server.send(PAGE, { headers: { ...BROWSER, cookie } })).text(), "execution page");
  const out = await server.send("/ui/logout", { method: "POST", headers: { cookie, ...SAME_SITE } });
  assertEquals(await locationOf(out), "/ui/login");
  await locationOf(await server.send(PAGE, { headers: { ...BROWSER, cookie } }));
});

Deno.test("programs and scripts of pages get 401, not the log-in page", async () => {
  await using server = await start({ isProtected: true });
  const requests: readonly RequestInit[] = [
    {},
    { headers: { accept: "*/*" } },
    { headers: { accept: "text/html", "sec-fetch-mode": "cors" } },
    { method: "POST", headers: { ...BROWSER, ...SAME_SITE } },
  ];
  for (const init of requests) {
    const response = await server.send(PAGE, init);
    await response.body?.cancel();
    assertEquals(response.status, 401, JSON.stringify(init));
  }
  const api = await server.send("/api/v1/main/flows/search", { headers: { accept: "text/html" } });
  assertEquals([api.status, (await api.json()).status], [401, 401]);
});

Deno.test("POST /ui/login leads to pages of this server only", async () => {
  await using server = await start({ isProtected: true });
  for (const from of ["https://evil.example/", "//evil.example", "/\\evil.example", ""]) {
    const entered = await submit(server, "/ui/login", { username: "admin", password: ADMIN.password, from });
    assertEquals(await locationOf(entered), "/ui/", from);
  }
});

Deno.test("POST /ui/login shows the form again after a refusal, with what was written as text", async () => {
  await using server = await start({ isProtected: true });
  const user = '"><script>alert(1)</script>';
  const wrong = await submit(server, "/ui/login", { username: user, password: "wrong", from: `/ui/${user}` });
  const text = await wrong.text();
  assertEquals([wrong.status, wrong.headers.getSetCookie()], [401, []]);
  assertMatch(text, /role="alert">The user name or the password is wrong/);
  assertNotMatch(text, /<script|wrong"/);
  for (let attempt = 0; attempt < 10; attempt++) {
    await (await submit(server, "/ui/login", { username: "admin", password: "wrong" })).body?.cancel();
  }
  const limited = await submit(server, "/ui/login", { username: "admin", password: ADMIN.password });
  assertEquals([limited.status, limited.headers.has("retry-after")], [429, true]);
  assertStringIncludes(await limited.text(), "Too many failed log-ins");
  const empty = await submit(server, "/ui/login", { username: "admin" });
  assertEquals(empty.status, 422);
  await empty.body?.cancel();
});

Deno.test("GET /ui/setup sets the first user and logs in; then it leads to the log-in page", async () => {
  await using server = await start({ isUserStored: true });
  const sent = await server.send("/ui/login?from=/ui/", { headers: BROWSER });
  assertEquals(await locationOf(sent), "/ui/setup");
  const local = await (await server.send("/ui/setup", {}, "127.0.0.1")).text();
  assertNotMatch(local, /name="token"/);
  const remote = await (await server.send("/ui/setup")).text();
  assertMatch(remote, /name="token"/);
  const fields = { username: "anna", password: ADMIN.password };
  const refused = await submit(server, "/ui/setup", { ...fields, token: "wrong" });
  assertEquals(refused.status, 403);
  assertStringIncludes(await refused.text(), 'value="anna"');
  const entered = await submit(server, "/ui/setup", { ...fields, token: server.firstUser?.token ?? "" });
  assertEquals(await locationOf(entered), "/ui/");
  const page = await server.send("/ui/", { headers: { cookie: cookieOf(entered) } });
  assertEquals(await page.text(), "start page of anna");
  assertEquals(await locationOf(await server.send("/ui/setup")), "/ui/login");
  const late = await submit(server, "/ui/setup", fields);
  assertEquals(late.status, 409);
  await late.body?.cancel();
});

Deno.test("the pages of log-in and set-up are in the language of the browser", async () => {
  await using isOpen = await start({ isUserStored: true });
  await using isClosed = await start({ isProtected: true });
  const rows = [["de-CH,de;q=0.9", "de", "Anmelden", "Benutzer festlegen"], [
    "fr",
    "fr",
    "Se connecter",
    "Définir",
  ]];
  for (const [accepted = "", language, logIn, setUp = ""] of rows) {
    const init = { headers: { "accept-language": accepted } };
    const login = await (await isClosed.send("/ui/login", init)).text();
    assertStringIncludes(login, `<html lang="${language}">`);
    assertStringIncludes(login, `<button class="button">${logIn}</button>`);
    const setup = await (await isOpen.send("/ui/setup", init)).text();
    assertStringIncludes(setup, `<html lang="${language}">`);
    assertStringIncludes(setup, setUp);
  }
});

Deno.test("POST /ui/login refuses in the language of the browser", async () => {
  await using server = await start({ isProtected: true });
  const headers = { ...SAME_SITE, "accept-language": "de" };
  const fail = () =>
    server.send("/ui/login", {
      method: "POST",
      headers,
      body: new URLSearchParams({ username: "a", password: "b" }),
    });
  const texts = [];
  for (let attempt = 0; attempt < 11; attempt++) texts.push(await (await fail()).text());
  assertStringIncludes(texts[0] ?? "", "Passwort ist falsch");
  assertStringIncludes(texts[10] ?? "", "Zu viele fehlgeschlagene Anmeldungen");
});

Deno.test("GET /ui/login of a server without credentials leads to the page", async () => {
  await using server = await start({});
  assertEquals(await locationOf(await server.send("/ui/login?from=/ui/x")), "/ui/x");
});

Deno.test("the log-in page works under its content policy: own styles, no scripts, form to this server", async () => {
  await using server = await start({ isProtected: true });
  const response = await server.send("/ui/login");
  const policy = response.headers.get("content-security-policy") ?? "";
  assertStringIncludes(policy, "form-action 'self'");
  const text = await response.text();
  assertNotMatch(text, /<script|style=|onclick/);
  for (const name of ["username", "password"]) assertStringIncludes(text, `<label for="${name}">`);
  const style = await server.send("/ui/assets/style.css");
  assert((await style.text()).includes(".login"));
});
