import { z } from "@hono/zod-openapi";
import { agentOf } from "../config/agents.ts";
import type { CoreConfig } from "../config/schema.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { IsopodError } from "../lib/errors.ts";

/** The path's parameter that names a session. */
export const sessionParam = z.object({ key: z.string().openapi({ description: "The session key, percent-encoded." }) });

/** @throws IsopodError `invalid_request` where the text is no session key */
export function checkedKey(key: string): string {
  parseSessionKey(key);
  return key;
}

/**
 * Whether a session is there before its first message: the main one of every agent is, so that a page can open it. Any
 * other begins with its first message.
 * @throws IsopodError `not_found` where there is no such agent
 */
export function isAlwaysThere(key: string, config: CoreConfig): boolean {
  const { agentId, kind } = parseSessionKey(key);
  return kind === "main" && agentOf(config, agentId).id === agentId;
}

/** What is known of a session. @throws IsopodError `not_found` where nothing is */
export function known<Answer>(answer: Answer | undefined, key: string): Answer {
  if (answer !== undefined) return answer;
  const hint = "A session begins with its first message: POST /v1/agent. GET /v1/sessions lists those that there are.";
  throw new IsopodError("not_found", `There is no session '${key}'`, hint);
}
