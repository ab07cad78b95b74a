import type { Hono } from "hono";
import { agentRoutes } from "./agent.ts";
import { createBaseApp, type MountedRoutes } from "./base-app.ts";
import { channelRoutes } from "./channels.ts";
import type { AppEnv } from "./context.ts";
import { openAiChatRoutes } from "./openai/chat.ts";
import { openAiResponsesRoutes } from "./openai/responses.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";
import { socketRoutes } from "./socket.ts";
import { webchatRoutes } from "./webchat.ts";

/** The routes on the way of a message: they are evaluated when an isolate starts, so that no message waits for it. */
export const TURN_ROUTES: readonly MountedRoutes[] = [
  ["/", channelRoutes],
  ["/", webchatRoutes],
  ["/v1", agentRoutes],
  ["/v1", runRoutes],
  ["/v1", sessionRoutes],
  ["/v1", socketRoutes],
  ["/v1", openAiChatRoutes],
  ["/v1", openAiResponsesRoutes],
];

/** The first parts of the paths of `TURN_ROUTES`. Some routes below them are not on the way of a message. */
const TURN_PATH = /^\/(?:channels|v1\/(?:agent|runs|sessions|chat|responses))(?:\/|$)/;

/** Whether a request with this path is for `createTurnApp`. */
export function isTurnPath(path: string): boolean {
  return TURN_PATH.test(path);
}

/**
 * The app of the routes on the way of a message.
 * @param wholeApp answers what is for other routes, or for none
 */
export function createTurnApp(wholeApp: () => Promise<Hono<AppEnv>>): Hono<AppEnv> {
  return createBaseApp({
    configured: TURN_ROUTES,
    notFound: async (c) => (await wholeApp()).fetch(c.req.raw, c.env, c.executionCtx),
  });
}
