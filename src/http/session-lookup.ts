import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { agentOf } from "../config/agents.ts";
import type { CoreConfig } from "../config/schema.ts";
import { objectNameOfRun } from "../config/session-ids.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { locationOf } from "../config/session-location.ts";
import { IsopodError } from "../lib/errors.ts";
import { addressOf } from "../services/call-session.ts";
import type { SessionAddress } from "../services/session-places.ts";
import type { AppEnv } from "./context.ts";

/** The path parameter that names a session. */
export const sessionParam = z.object({ key: z.string().openapi({ description: "The session key, percent-encoded." }) });

/** @throws IsopodError `invalid_request` where the text is no session key */
export function checkedKey(key: string): string {
  parseSessionKey(key);
  return key;
}

/**
 * Whether a session exists before its first message: only the main session of each agent does, so that the page can
 * open it.
 * @throws IsopodError `not_found` where there is no such agent
 */
export function isAlwaysThere(key: string, config: CoreConfig): boolean {
  const { agentId, kind } = parseSessionKey(key);
  return kind === "main" && agentOf(config, agentId).id === agentId;
}

/** A session's answer. @throws IsopodError `not_found` where it is undefined */
export function requireSession<Answer>(answer: Answer | undefined, key: string): Answer {
  if (answer !== undefined) return answer;
  const hint = "A session begins with its first message: POST /v1/agent. GET /v1/sessions lists those that there are.";
  throw new IsopodError("not_found", `There is no session '${key}'`, hint);
}

/** Where the session of a key is, or begins. @throws IsopodError `unavailable` if that cannot be found out */
export function sessionAddress(c: Context<AppEnv>, key: string): Promise<SessionAddress> {
  return addressOf(c.env, key, locationOf(c.get("services").config, key));
}

/** The object that had the session of a run when it was accepted. @throws IsopodError `not_found` where the text cannot be a run's id */
export function runAddress(runId: string): SessionAddress {
  const name = objectNameOfRun(runId);
  if (name === undefined) throw noSuchRun(runId.slice(0, 80));
  return { name };
}

/** The error for an unknown run. */
export function noSuchRun(id: string): IsopodError {
  return new IsopodError("not_found", `There is no run '${id}'`, "Use the runId that POST /v1/agent answered.");
}
