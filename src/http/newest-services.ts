import type { Context } from "hono";
import { IsopodError } from "../lib/errors.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration, knownConfiguration } from "../services/current-config.ts";
import type { Services } from "../services/services.ts";
import type { AppEnv } from "./context.ts";

/** The routes that start runs. */
const RUN_PATHS: ReadonlySet<string> = new Set(["/v1/agent", "/v1/chat/completions", "/v1/responses"]);

/**
 * Provides the services of a request. Where it starts a run, it does not wait for the newest configuration: the
 * session's object asks for it beside everything else that the run needs.
 */
export async function provideServices(c: Context<AppEnv>): Promise<void> {
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
  const startsRun = c.req.method === "POST" && RUN_PATHS.has(c.req.path);
  const usableMs = startsRun ? Number.POSITIVE_INFINITY : undefined;
  await knowConfiguration(c.env, Date.now(), { waitUntil, usableMs });
  c.set("services", createServices(c.env, waitUntil));
}

/**
 * Checks a request against the known configuration, and where that refuses it, against the newest one: the agent that
 * it names may have been added in another isolate.
 */
export async function checkedByNewest<Result>(
  c: Context<AppEnv>,
  check: (services: Services) => Result | Promise<Result>,
): Promise<Result> {
  const known = c.get("services");
  try {
    return await check(known);
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    const isAsked = await knownConfiguration(c.env.DB)
      .refresh()
      .then(
        () => true,
        () => false,
      );
    if (!isAsked) throw error;
    const newest = createServices(c.env, (promise) => c.executionCtx.waitUntil(promise));
    if (newest.revision === known.revision) throw error;
    c.set("services", newest);
    return check(newest);
  }
}
