import { defaultAgentId } from "../../config/agents.ts";
import type { CoreConfig } from "../../config/schema.ts";
import { FOR_ONE_REQUEST, parseSessionKey, sessionKeyOf } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";
import { requestedAgent } from "./models.ts";

/** The agent and the session of a request; without a key, the session is for this request alone. */
export interface RequestSession {
  agentId: string;
  sessionKey: string | undefined;
}

/** The fields of a request that choose its session. */
export interface SessionSelector {
  model: string;
  user?: string | null | undefined;
  /** Reads a header of the request. */
  header(name: string): string | undefined;
}

const SESSION_HEADER = "x-isopod-session-key";

/**
 * The session of a request: the one that its header names, else its user's, else one for this request alone.
 * @throws IsopodError `not_found` where there is no such model, `invalid_request` where the session is another agent's
 */
export function requestSession({ model, user, header }: SessionSelector, config: CoreConfig): RequestSession {
  const named = requestedAgent(model, config) ?? header("x-openclaw-agent-id");
  if (named !== undefined) requestedAgent(`isopod/${named}`, config);
  const given = header(SESSION_HEADER) ?? header("x-openclaw-session-key");
  if (given !== undefined) {
    const { agentId } = parseSessionKey(given);
    if (named === undefined || named === agentId) return { agentId, sessionKey: given };
    const message = `${SESSION_HEADER}: it belongs to agent '${agentId}', not '${named}'`;
    throw new IsopodError("invalid_request", message, undefined, { param: SESSION_HEADER });
  }
  const agentId = named ?? defaultAgentId(config);
  return { agentId, sessionKey: user ? userSession(agentId, user) : undefined };
}

/** The key of a session for one request alone. */
export function singleRequestSession(agentId: string, name: string): string {
  const route = { agentId, ...FOR_ONE_REQUEST, kind: "direct", conversationId: name } as const;
  return sessionKeyOf({ ...route, peerId: name, owner: false }, "per-account-channel-peer");
}

function userSession(agentId: string, user: string): string {
  const route = { agentId, channel: "openai", accountId: "", kind: "direct", conversationId: user } as const;
  const key = sessionKeyOf({ ...route, peerId: user, owner: false }, "per-channel-peer");
  try {
    parseSessionKey(key);
    return key;
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    const message = "user: this cannot be part of a session's key; it is too long, or no text";
    throw new IsopodError("invalid_request", message, undefined, { param: "user" });
  }
}
