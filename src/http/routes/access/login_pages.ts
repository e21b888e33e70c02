/** The pages of log-in, log-out and set-up. They lead back to the page that asked for a log-in, within this server. */
import { type Context, Hono } from "hono";
import { DomainError, resultOrRefusal } from "../../../model/errors.ts";
import type { Language } from "../../../ui/bundle.ts";
import { languageOf } from "../../../ui/app_page.ts";
import { LOGIN_PATH, loginPage, SETUP_PATH, setupPage } from "../../../ui/login_page.ts";
import { UI_PATH } from "../../../ui/layout.ts";
import { LOGIN_TEXTS, type LoginTexts } from "../../../ui/login_texts.ts";
import type { AppEnv } from "../../env.ts";
import { localPath, readFields } from "../../forms/login_form.ts";
import { queryOf } from "../../forms/params.ts";
import { isLocalCaller } from "../../pipeline/local_caller.ts";
import { setSessionCookies } from "../../pipeline/cookies.ts";
import { statusOf } from "../../responses/problem.ts";
import { type FirstUserRoutesDeps, setUpFirstUser } from "./first_user.ts";
import { isHttps, type LoginDeps, logOut } from "./login.ts";

const HOME = `${UI_PATH}/`;
const NO_STORE = { "cache-control": "no-store" };
const PAGE_HEADERS = { ...NO_STORE, "content-type": "text/html; charset=utf-8" };

/** `GET /` shows the form, `POST /` logs in. */
export function loginPageRoutes(deps: FirstUserRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => {
    if (deps.firstUser?.isOpen) return redirect(SETUP_PATH);
    const from = localPath(queryOf(c).get("from"), HOME);
    if (!deps.auth.isProtected) return redirect(from);
    return c.body(loginPage({ language: readLanguage(c), from }), 200, PAGE_HEADERS);
  });
  routes.post("/", async (c) => {
    const { user, password, from: given } = await readFields(c);
    c.set("claimedUser", user);
    const from = localPath(given, HOME);
    const language = readLanguage(c);
    const texts = LOGIN_TEXTS[language];
    if (user === "" || password === "") {
      return formAgain(422, loginPage({ language, from, user, refusal: texts.wrong }));
    }
    const outcome = await resultOrRefusal(async () => ({
      session: await logIn(c, deps, { user, password }),
    }));
    if (!(outcome instanceof DomainError)) return entered(c, deps, outcome.session, from);
    const page = loginPage({ language, from, user, refusal: refusalText(outcome, texts) });
    return formAgain(statusOf(outcome.code), page, outcome);
  });
  return routes;
}

/** `POST /` ends the session. */
export function logoutPageRoutes(deps: LoginDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/", (c) => {
    const response = redirect(LOGIN_PATH);
    logOut(c, response.headers, deps);
    return response;
  });
}

/** `GET /` shows the form while there is no user, `POST /` sets the first user and logs in. */
export function setupPageRoutes(deps: FirstUserRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const needsToken = (c: Context<AppEnv>) => !isLocalCaller(c.req.raw, c.env, deps);
  routes.get("/", (c) => {
    if (!deps.firstUser?.isOpen) return redirect(LOGIN_PATH);
    return c.body(setupPage({ language: readLanguage(c), needsToken: needsToken(c) }), 200, PAGE_HEADERS);
  });
  routes.post("/", async (c) => {
    const form = await readFields(c);
    const outcome = await resultOrRefusal(async () => ({ session: await setUpFirstUser(c, deps, form) }));
    if (!(outcome instanceof DomainError)) return entered(c, deps, outcome.session, HOME);
    const page = setupPage({
      language: readLanguage(c),
      needsToken: needsToken(c),
      user: form.user,
      refusal: outcome.message,
    });
    return formAgain(statusOf(outcome.code), page, outcome);
  });
  return routes;
}

function readLanguage(c: Context<AppEnv>): Language {
  return languageOf(c.req.header("accept-language") ?? "");
}

/** Other refusals are those of the API, which are in English. */
function refusalText({ code, message }: DomainError, texts: LoginTexts): string {
  if (code === "unauthorized") return texts.wrong;
  return code === "too_many_requests" ? texts.tooMany : message;
}

function logIn(
  c: Context<AppEnv>,
  { auth, clients }: LoginDeps,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<string | undefined> {
  return auth.logIn({ user, password }, clients.of(c.req.raw, c.env));
}

function entered(
  c: Context<AppEnv>,
  deps: LoginDeps,
  session: string | undefined,
  path: string,
): Response {
  const response = redirect(path);
  setSessionCookies(response.headers, session, isHttps(c.req.raw, deps));
  return response;
}

function formAgain(status: number, page: string, refusal?: DomainError): Response {
  const wait = refusal?.retryAfter;
  const headers = { ...PAGE_HEADERS, ...(wait !== undefined && { "retry-after": String(wait) }) };
  return new Response(page, { status, headers });
}

/** 303: the browser reads the page with GET. */
function redirect(path: string): Response {
  return new Response(null, { status: 303, headers: { ...NO_STORE, location: path } });
}
