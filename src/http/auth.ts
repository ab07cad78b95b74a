import { eq, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { logins } from "../db/schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { base32 } from "../lib/ids.ts";
import { secretEqual } from "../security/secret-equal.ts";
import type { AppEnv } from "./context.ts";

const COOKIE = "isopod_login";
const LOGIN_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Lets a request through that carries the token, or the cookie of a browser that is logged in. With no token
 * configured nothing gets through.
 */
export const requireLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  const known = bearer === undefined ? await hasLogin(c) : await isToken(c, bearer);
  c.set("caller", bearer === undefined ? "page" : "token");
  if (!known) {
    c.header("WWW-Authenticate", "Bearer");
    throw new IsopodError(
      "unauthorized",
      "A valid access token is needed.",
      "Send Authorization: Bearer <ISOPOD_TOKEN>.",
    );
  }
  await next();
};

/**
 * Gives a browser that knows the token a cookie: opaque, for 30 days, unreadable by scripts.
 * @throws IsopodError `unauthorized`
 */
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
  const expiresAt = now + LOGIN_DAYS * DAY_MS;
  const db = drizzle(c.env.DB);
  await db.batch([
    db.insert(logins).values({ digest: await digestOf(value), createdAt: now, expiresAt }),
    db.delete(logins).where(lt(logins.expiresAt, now)),
  ]);
  const secure = new URL(c.req.url).protocol === "https:";
  setCookie(c, COOKIE, value, { httpOnly: true, sameSite: "Strict", secure, path: "/", maxAge: LOGIN_DAYS * 86_400 });
}

/** Makes the cookie of a browser worthless. */
export async function logOut(c: Context<AppEnv>): Promise<void> {
  const value = getCookie(c, COOKIE);
  if (value !== undefined) {
    await drizzle(c.env.DB)
      .delete(logins)
      .where(eq(logins.digest, await digestOf(value)));
  }
  deleteCookie(c, COOKIE, { path: "/" });
}

async function isToken(c: Context<AppEnv>, given: string): Promise<boolean> {
  const token = c.env.ISOPOD_TOKEN;
  return token !== undefined && token !== "" && (await secretEqual(given, token));
}

async function hasLogin(c: Context<AppEnv>): Promise<boolean> {
  const value = getCookie(c, COOKIE);
  if (value === undefined) return false;
  requireOwnOrigin(c);
  const row = await drizzle(c.env.DB)
    .select({ expiresAt: logins.expiresAt })
    .from(logins)
    .where(eq(logins.digest, await digestOf(value)))
    .get();
  return row !== undefined && row.expiresAt > Date.now();
}

/** A browser sends cookies along with what other sites make it send: only our own pages may use them. */
function requireOwnOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  if (origin === undefined && (c.req.method === "GET" || c.req.method === "HEAD")) return;
  if (origin !== new URL(c.req.url).origin) {
    throw new IsopodError("forbidden", "This request does not come from Isopod's own page.");
  }
}

async function digestOf(value: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(value));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
