import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentOf } from "../config/agents.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Refusal } from "../lib/refusal.ts";
import { callSession, clientFrame, MISDIRECTED, serverFrame } from "../session/api.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { sessionAddress } from "./session-lookup.ts";

const socketRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/socket",
  summary: "A WebSocket for the input, events and aborts of a session",
  description:
    "Text frames of one JSON object each: `SocketClientFrame` and `SocketServerFrame`. Events are sent after " +
    "`resume`, as long as the client acknowledges them. Close code 4008 means that the client was too slow: it has " +
    "to reconnect and resume.",
  request: {
    params: z.object({ key: z.string().openapi({ description: "The session key, percent-encoded." }) }),
    query: z.strictObject({}),
  },
  responses: {
    101: { description: "The connection is a WebSocket now" },
    426: { description: "The request was no upgrade" },
  },
});

/** `GET /v1/sessions/:key/socket`. */
export const socketRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

// A schema that was made before the documentation's library was loaded cannot be registered; a copy can.
socketRoutes.openAPIRegistry.register("SocketClientFrame", clientFrame.meta({}));
socketRoutes.openAPIRegistry.register("SocketServerFrame", serverFrame.meta({}));

socketRoutes.openapi(socketRoute, async (c) => {
  requireOwnOrigin(c.req.header("Origin"), c.req.url);
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    c.header("Upgrade", "websocket");
    throw new IsopodError(
      "upgrade_required",
      "This address speaks WebSocket only.",
      "Connect with a WebSocket client.",
    );
  }
  const { key } = c.req.valid("param");
  agentOf(c.get("services").config, parseSessionKey(key).agentId);
  const url = `https://session/?key=${encodeURIComponent(key)}`;
  const response = await callSession(c.env, await sessionAddress(c, key), async (session) => {
    const answer = await session.fetch(new Request(url, { headers: { Upgrade: "websocket" } }));
    return answer.status === MISDIRECTED ? answer.json<Refusal>() : answer;
  });
  if (response.status === 429) {
    throw new IsopodError("rate_limited", "This session has too many open sockets.", "Close some of them.");
  }
  if (response.status === 503) {
    throw new IsopodError("unavailable", "This session is being deleted.", "Try again in a moment.");
  }
  return response;
});

/** Refuses sockets that another site's page opens: the same-origin policy does not cover WebSockets. */
function requireOwnOrigin(origin: string | undefined, url: string): void {
  if (origin !== undefined && origin !== new URL(url).origin) {
    throw new IsopodError("forbidden", "This request does not come from Isopod's own page.");
  }
}
