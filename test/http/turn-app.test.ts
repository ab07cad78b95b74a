import type { Hono } from "hono";
import { expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { AppEnv } from "../../src/http/context.ts";
import { createTurnApp, isTurnPath, TURN_ROUTES } from "../../src/http/turn-app.ts";

/** The method and path of each route, without middleware. */
function routesOf(app: Hono<AppEnv>): string[] {
  return app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
}

test("every route on the way of a message is recognized by its path, and the others are answered by the whole app", async () => {
  const whole = createApp();
  const turn = createTurnApp(async () => whole);
  const own = routesOf(turn);
  expect(own.length).toBeGreaterThan(TURN_ROUTES.length);
  expect(routesOf(whole)).toEqual(expect.arrayContaining(own));
  for (const route of own) expect([route, isTurnPath(route.split(" ")[1] ?? "")]).toEqual([route, true]);
  for (const path of ["/", "/healthz", "/openapi.json", "/docs/api", "/v1/config", "/v1/agents/main", "/v1/login"]) {
    expect([path, isTurnPath(path)]).toEqual([path, false]);
  }
});
