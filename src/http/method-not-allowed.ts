import type { Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { RouterRoute } from "hono/types";
import { IsopodError } from "../lib/errors.ts";

/**
 * Answers what no route took: 405 with `Allow` where the path exists for other methods, 404 otherwise.
 * The routes are read when it is first needed, so that all of them are there.
 */
export function notFoundOf(routes: () => readonly RouterRoute[]): (c: Context) => never | Response {
  let known: TrieRouter<string> | undefined;
  return (c) => {
    known ??= methodsByPath(routes());
    const allowed = new Set(known.match("ALL", c.req.path)[0].map(([method]) => method));
    if (allowed.size === 0) throw new IsopodError("not_found", `Nothing is at ${c.req.path}`, "See /openapi.json.");
    if (allowed.has("GET")) allowed.add("HEAD");
    return refuseMethod(c, [...allowed]);
  };
}

/** Answers 405 and says which methods a path is for. */
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

/** An app whose routes can be listed. */
export type WithRoutes = Pick<Hono, "routes">;
