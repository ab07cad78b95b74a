import { IsopodError } from "../lib/errors.ts";

/** The parts of a session key: the agent and the conversation. */
export interface ParsedSessionKey {
  agentId: string;
  /** `main`, `direct`, `group`, `channel`, `subagent`, `cron` or `hook`. */
  kind: SessionKind;
  /** Every part after the agent id, unescaped. */
  parts: string[];
}

export type SessionKind = "main" | "direct" | "group" | "channel" | "subagent" | "cron" | "hook";

/** How direct conversations are divided into sessions. */
export type DmScope = "auto" | "main" | "per-peer" | "per-channel-peer" | "per-account-channel-peer";

/** A conversation, for routing. */
export interface Route {
  agentId: string;
  channel: string;
  accountId: string;
  kind: "direct" | "group" | "channel";
  conversationId: string;
  threadId?: string;
  /** What the channel calls a thread; `thread` where absent. Keys that exist contain the word. */
  threadWord?: "topic";
  peerId: string;
  /** Whether the sender is an owner; owners share `main` under the scope `auto`. */
  owner: boolean;
  /** A visitor of a page, who shares no session with others, whatever the scope. */
  isVisitor?: true;
}

const AGENT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_KEY_CHARS = 512;
/** Most characters of the name of a session of webhooks: escaped, it fits into a key. */
const MAX_HOOK_CHARS = 120;
/** Separators, the escape character and control characters, which are escaped in parts from outside. */
const RESERVED = /[:/%\p{Cc}]/gu;

/** The name of a main session: `main`, or one of several that a client or an imported workspace has named. */
const NAMED = /^[\p{L}\p{N}._-]{1,64}$/u;

/** Whether a text can be an agent's id. */
export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}

/** The key of an agent's main session. */
export function mainSessionKey(agentId: string): string {
  return `agent:${agentId}:main`;
}

/** The key of a conversation's session, by the scope of direct messages. */
export function sessionKeyOf(route: Route, dmScope: DmScope): string {
  const head = `agent:${route.agentId}`;
  const channel = escapePart(route.channel);
  const peer = escapePart(route.peerId);
  if (route.kind !== "direct") {
    const { threadId, threadWord = "thread" } = route;
    const thread = threadId === undefined ? "" : `:${threadWord}:${escapePart(threadId)}`;
    return `${head}:${channel}:${route.kind}:${escapePart(route.conversationId)}${thread}`;
  }
  switch (dmScope) {
    case "auto":
      return route.owner ? mainSessionKey(route.agentId) : `${head}:${channel}:direct:${peer}`;
    case "main":
      return route.isVisitor ? `${head}:${channel}:direct:${peer}` : mainSessionKey(route.agentId);
    case "per-peer":
      return `${head}:direct:${peer}`;
    case "per-channel-peer":
      return `${head}:${channel}:direct:${peer}`;
    case "per-account-channel-peer":
      return `${head}:${channel}:${escapePart(route.accountId)}:direct:${peer}`;
  }
}

/** The channel and account of sessions that are made for one API request and expire. */
export const FOR_ONE_REQUEST = { channel: "openai", accountId: "once" } as const;

/**
 * The key of a session of webhooks; what cannot be in a key is escaped.
 * @param name may have words from outside in it
 * @throws IsopodError `invalid_request` for a name that is empty or too long
 */
export function hookSessionKey(agentId: string, name: string): string {
  const own = name
    .trim()
    .replace(/^hook:/, "")
    .toWellFormed();
  if (own === "" || own.length > MAX_HOOK_CHARS) {
    throw new IsopodError("invalid_request", `sessionKey: use 1 to ${MAX_HOOK_CHARS} characters after hook:`);
  }
  return `agent:${agentId}:hook:${escapePart(own)}`;
}

/** Whether a session was made for one API request and its follow-ups. */
export function isForOneRequest(sessionKey: string): boolean {
  const { kind, parts } = parseSessionKey(sessionKey);
  const { channel, accountId } = FOR_ONE_REQUEST;
  return kind === "direct" && parts[0] === channel && parts[1] === accountId;
}

/**
 * Parses a session key.
 * @throws IsopodError `invalid_request` for any other text
 */
export function parseSessionKey(key: string): ParsedSessionKey {
  const [word, agentId, ...parts] = key.split(":");
  const kind = kindOf(parts);
  if (
    word !== "agent" ||
    agentId === undefined ||
    !isAgentId(agentId) ||
    kind === undefined ||
    key.length > MAX_KEY_CHARS ||
    !key.isWellFormed()
  ) {
    throw new IsopodError(
      "invalid_request",
      `sessionKey: '${key.slice(0, 80)}' is not a session key`,
      "A key looks like agent:main:main or agent:main:telegram:direct:123.",
    );
  }
  return { agentId, kind, parts: parts.map(unescapePart) };
}

function kindOf(parts: string[]): SessionKind | undefined {
  if (parts.some((part) => part === "" || /[/\p{Cc}]/u.test(part))) return undefined;
  const [first, second, third] = parts;
  if (first === "subagent" || first === "cron" || first === "hook") return parts.length === 2 ? first : undefined;
  if (first === "direct") return parts.length === 2 ? "direct" : undefined;
  if (first !== undefined && parts.length === 1) return NAMED.test(first) ? "main" : undefined;
  if (first === "main") return undefined;
  if (second === "direct") return parts.length === 3 ? "direct" : undefined;
  if (third === "direct") return parts.length === 4 ? "direct" : undefined;
  if (second === "group" || second === "channel") {
    if (parts.length === 3) return second;
    return parts.length === 5 && (parts[3] === "thread" || parts[3] === "topic") ? second : undefined;
  }
  return undefined;
}

function escapePart(part: string): string {
  return part.replace(RESERVED, (character) => encodeURIComponent(character));
}

function unescapePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** The kind of conversation that a session belongs to. */
export function placeOf(sessionKey: string): "direct" | "group" | "channel" {
  const { kind } = parseSessionKey(sessionKey);
  return kind === "group" || kind === "channel" ? kind : "direct";
}
