import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { IsopodError } from "../lib/errors.ts";
import { base32 } from "../lib/ids.ts";
import { secretEqual } from "../security/secret-equal.ts";
import { configurationIfValid, knowConfiguration } from "../services/current-config.ts";
import { addLogin, findLogin, removeLogin } from "../services/logins.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import { findToken, includesScope, type Scope } from "../services/tokens.ts";
import { clientAddress, WrongAttempts } from "./attempts.ts";
import type { AppEnv, Caller } from "./context.ts";
import { scopeOf } from "./scopes.ts";

const COOKIE = "isopod_login";
const LOGIN_DAYS = 30;
const DAY_MS = 86_400_000;
/** Where Access ends its session. */
const ACCESS_SIGN_OUT = "/cdn-cgi/access/logout";
const MAX_ACCESS_LOGINS = 1000;

/** Wrong tokens as this isolate has seen them. */
const wrongTokens = new WrongAttempts();
/** The logins with Access that this isolate has noted in the audit trail. */
const knownAccessLogins = new Set<string>();

/**
 * Requires a token, the cookie of a logged-in browser, or somebody whom Cloudflare Access let in, with the scope that
 * the route needs. Where neither `ISOPOD_TOKEN` nor Access is set up, every request is refused.
 */
export const requireLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  const caller =
    bearer === undefined ? ((await cookieCaller(c)) ?? (await accessCaller(c))) : await tokenCaller(c, bearer);
  if (caller === undefined) {
    if (bearer !== undefined) await refuseIfTooMany(c, "a request");
    c.header("WWW-Authenticate", "Bearer");
    throw new IsopodError(
      "unauthorized",
      "A valid access token is needed.",
      "Send Authorization: Bearer <ISOPOD_TOKEN>.",
    );
  }
  c.set("caller", caller);
  const needed = scopeOf(c.req.method, c.req.path);
  if (!includesScope(caller.scope, needed)) {
    throw new IsopodError(
      "forbidden",
      `This needs a token with the scope '${needed}'; '${caller.name}' has '${caller.scope}'.`,
      "Make one with POST /v1/tokens, or use ISOPOD_TOKEN.",
    );
  }
  await next();
};

/**
 * Exchanges a token for a login cookie with its scope: opaque, valid for 30 days, HttpOnly.
 * @throws IsopodError `unauthorized`, `rate_limited`
 */
export async function logIn(c: Context<AppEnv>, token: string): Promise<void> {
  const caller = await tokenCaller(c, token);
  if (caller === undefined) {
    await refuseIfTooMany(c, "a login");
    throw new IsopodError(
      "unauthorized",
      "That is not the access token.",
      "It is in .dev.vars, or in the Worker's secrets.",
    );
  }
  const value = base32(crypto.getRandomValues(new Uint8Array(32)));
  const now = Date.now();
  const { scope, name, tokenId = null } = caller;
  await addLogin(c.env.DB, value, { createdAt: now, expiresAt: now + LOGIN_DAYS * DAY_MS, scope, tokenId });
  const { protocol } = new URL(c.req.url);
  setCookie(c, cookieName(c), value, {
    ...{ httpOnly: true, sameSite: "Strict", path: "/", maxAge: LOGIN_DAYS * 86_400 },
    secure: protocol === "https:",
  });
  const event = { kind: "login", agentId: "", by: name, subject: clientAddress(c.req.raw), detail: scope } as const;
  c.executionCtx.waitUntil(noteSecurityEvent(c.env.DB, event, now));
}

/** Deletes the login of a browser, and its cookie. */
export async function logOut(c: Context<AppEnv>): Promise<void> {
  const value = getCookie(c, cookieName(c));
  if (value !== undefined) await removeLogin(c.env.DB, value);
  deleteCookie(c, cookieName(c), { path: "/", secure: new URL(c.req.url).protocol === "https:" });
}

/** What tells the login of a caller from all others: it changes with each login of a browser. Never store or show it. */
export function loginIdentity(c: Context<AppEnv>): string {
  const { via, name } = c.get("caller");
  return getCookie(c, cookieName(c)) ?? `${via} ${name}`;
}

/**
 * The name of the login cookie. Cookies do not depend on the port, so on a machine of one's own its name does; on https
 * the prefix keeps other hosts of the domain from setting it.
 */
function cookieName(c: Context<AppEnv>): string {
  const { protocol, port } = new URL(c.req.url);
  return protocol === "https:" ? `__Host-${COOKIE}` : `${COOKIE}_${port === "" ? "80" : port}`;
}

async function tokenCaller(c: Context<AppEnv>, given: string): Promise<Caller | undefined> {
  const token = c.env.ISOPOD_TOKEN;
  if (token === undefined || token === "") return undefined;
  if (await secretEqual(given, token)) return { via: "token", name: "ISOPOD_TOKEN", scope: "admin" };
  const found = await findToken(c.env.DB, given, Date.now(), (promise) => c.executionCtx.waitUntil(promise));
  return found && { via: "token", name: found.name, scope: found.scope, tokenId: found.id };
}

async function cookieCaller(c: Context<AppEnv>): Promise<Caller | undefined> {
  const value = getCookie(c, cookieName(c));
  if (value === undefined) return undefined;
  requireOwnOrigin(c);
  const login = await findLogin(c.env.DB, value, Date.now(), (promise) => c.executionCtx.waitUntil(promise));
  return login && { via: "page", name: "page", scope: login.scope satisfies Scope };
}

/**
 * Whom Cloudflare Access let in, if the configuration names its application. Browsers send what Access knows them by
 * with every request, as they do a cookie.
 * @throws IsopodError `unauthorized` if the token is not valid, `unavailable` if it cannot be checked
 */
async function accessCaller(c: Context<AppEnv>): Promise<Caller | undefined> {
  const assertion = c.req.header("Cf-Access-Jwt-Assertion");
  if (assertion === undefined) return undefined;
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
  await knowConfiguration(c.env, Date.now(), { waitUntil });
  const access = configurationIfValid(c.env)?.security.access;
  if (access === undefined) return undefined;
  const { verifyAccessToken } = await import("../security/access-token.ts");
  const { kind, name, issuedAt } = await verifyAccessToken(assertion, access);
  if (kind === "person") requireOwnOrigin(c);
  const scope = access.scopes[name] ?? access.scope;
  const login = `${name} ${issuedAt}`;
  if (!knownAccessLogins.has(login)) {
    if (knownAccessLogins.size >= MAX_ACCESS_LOGINS) knownAccessLogins.clear();
    knownAccessLogins.add(login);
    const event = { kind: "login", agentId: "", by: name, subject: "Cloudflare Access", detail: scope } as const;
    waitUntil(noteSecurityEvent(c.env.DB, event, Date.now()));
  }
  return kind === "person" ? { via: "page", name, scope, signOutPath: ACCESS_SIGN_OUT } : { via: "token", name, scope };
}

/** Notes a wrong token of an address. @throws IsopodError `rate_limited` after too many */
async function refuseIfTooMany(c: Context<AppEnv>, what: string): Promise<void> {
  const now = Date.now();
  const address = clientAddress(c.req.raw);
  const { count, retryAfterSec } = wrongTokens.note(address, now);
  if (count === 1 || retryAfterSec === 1) {
    const event = { kind: "login", agentId: "", by: address, subject: what, detail: "refused: wrong token" } as const;
    c.executionCtx.waitUntil(noteSecurityEvent(c.env.DB, event, now));
  }
  if (retryAfterSec === undefined) return;
  throw new IsopodError(
    "rate_limited",
    `There were too many wrong tokens from ${address}.`,
    `Wait ${retryAfterSec} seconds. The right token works at once.`,
    { retryAfterSec },
  );
}

/** Refuses cross-site requests with a cookie: browsers send cookies with requests that other sites cause (CSRF). */
function requireOwnOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  if (origin === undefined && (c.req.method === "GET" || c.req.method === "HEAD")) return;
  if (origin !== new URL(c.req.url).origin) {
    throw new IsopodError("forbidden", "This request does not come from Isopod's own page.");
  }
}
