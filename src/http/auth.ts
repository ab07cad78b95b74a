import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { IsopodError } from "../lib/errors.ts";
import { base32 } from "../lib/ids.ts";
import { secretEqual } from "../security/secret-equal.ts";
import { addLogin, hasLogin, removeLogin } from "../services/logins.ts";
import type { AppEnv } from "./context.ts";

const COOKIE = "isopod_login";
const LOGIN_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Requires the access token, or the cookie of a logged-in browser. Without a configured token every request is refused.
 */
export const requireLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  const isKnown = bearer === undefined ? await hasCookie(c) : await isToken(c, bearer);
  c.set("caller", bearer === undefined ? "page" : "token");
  if (!isKnown) {
    c.header("WWW-Authenticate", "Bearer");
    throw new IsopodError(
      "unauthorized",
      "A valid access token is needed.",
      "Send Authorization: Bearer <ISOPOD_TOKEN>.",
    );
  }
  await next();
};

/** Exchanges the token for a login cookie: opaque, valid for 30 days, HttpOnly. @throws IsopodError `unauthorized` */
export async function logIn(c: Context<AppEnv>, token: string): Promise<void> {
  if (!(await isToken(c, token))) {
    throw new IsopodError(
      "unauthorized",
      "That is not the access token.",
      "It is in .dev.vars, or in the Worker's secrets.",
    );
  }
  const value = base32(crypto.getRandomValues(new Uint8Array(32)));
  const now = Date.now();
  await addLogin(c.env.DB, value, { createdAt: now, expiresAt: now + LOGIN_DAYS * DAY_MS });
  const secure = new URL(c.req.url).protocol === "https:";
  setCookie(c, COOKIE, value, { httpOnly: true, sameSite: "Strict", secure, path: "/", maxAge: LOGIN_DAYS * 86_400 });
}

/** Deletes the login of a browser, and its cookie. */
export async function logOut(c: Context<AppEnv>): Promise<void> {
  const value = getCookie(c, COOKIE);
  if (value !== undefined) await removeLogin(c.env.DB, value);
  deleteCookie(c, COOKIE, { path: "/" });
}

async function isToken(c: Context<AppEnv>, given: string): Promise<boolean> {
  const token = c.env.ISOPOD_TOKEN;
  return token !== undefined && token !== "" && (await secretEqual(given, token));
}

async function hasCookie(c: Context<AppEnv>): Promise<boolean> {
  const value = getCookie(c, COOKIE);
  if (value === undefined) return false;
  requireOwnOrigin(c);
  return hasLogin(c.env.DB, value, Date.now(), (promise) => c.executionCtx.waitUntil(promise));
}

/** Refuses cross-site requests with a cookie: browsers send cookies with requests that other sites cause (CSRF). */
function requireOwnOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  if (origin === undefined && (c.req.method === "GET" || c.req.method === "HEAD")) return;
  if (origin !== new URL(c.req.url).origin) {
    throw new IsopodError("forbidden", "This request does not come from Isopod's own page.");
  }
}
