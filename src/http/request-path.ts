import type { Context, MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { RouterRoute } from "hono/types";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";

const MAX_SHOWN_CHARS = 120;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Refuses a path that is not percent-encoded UTF-8, or that contains control characters or line separators: no resource
 * has such a name, and the router would match it to another path.
 */
export const requirePlainPath: MiddlewareHandler = async (c, next) => {
  const { pathname } = new URL(c.req.url);
  const fault = pathFault(pathname);
  if (fault === undefined) return next();
  const hint = "Percent-encode every part of it as UTF-8, and `%` itself as `%25`.";
  throw new IsopodError("invalid_request", `The path ${head(pathname, MAX_SHOWN_CHARS)} ${fault}`, hint);
};

function pathFault(pathname: string): string | undefined {
  try {
    return UNPRINTABLE.test(decodeURIComponent(pathname)) ? "has a control character or line separator" : undefined;
  } catch (error) {
    if (error instanceof URIError) return "is not percent-encoded UTF-8";
    throw error;
  }
}

/**
 * Answers requests that match no route: 405 with `Allow` where the path has other methods, 404 otherwise. Reads the
 * routes on first use, when all of them are registered.
 */
export function notFoundHandler(routes: () => readonly RouterRoute[]): (c: Context) => never | Response {
  let methods: TrieRouter<string> | undefined;
  return (c) => {
    methods ??= methodsByPath(routes());
    const allowed = new Set(methods.match("ALL", c.req.path)[0].map(([method]) => method));
    if (allowed.size === 0) throw new IsopodError("not_found", `Nothing is at ${c.req.path}`, "See /openapi.json.");
    if (allowed.has("GET")) allowed.add("HEAD");
    return refuseMethod(c, [...allowed]);
  };
}

/** Answers 405 with the allowed methods. @throws IsopodError `method_not_allowed` */
export function refuseMethod(c: Context, allowed: readonly string[]): never {
  c.header("Allow", allowed.join(", "));
  throw new IsopodError("method_not_allowed", `${c.req.method} is not possible here`, `Use ${allowed.join(" or ")}.`);
}

function methodsByPath(routes: readonly RouterRoute[]): TrieRouter<string> {
  const router = new TrieRouter<string>();
  for (const route of routes) {
    if (route.method !== "ALL") router.add("ALL", route.path, route.method);
  }
  return router;
}
