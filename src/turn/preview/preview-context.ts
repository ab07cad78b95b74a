import type { Target } from "../../channels/channel.ts";
import { ORIGINS } from "../../config/origins.ts";
import { mainSessionKey, parseSessionKey, sessionKeyOf } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { ThinkingLevel } from "../../models/model.ts";
import type { PromptMode } from "../../prompt/input.ts";
import { agentIn, type Services } from "../../services/services.ts";
import { promptModeOf, type TurnContext } from "../turn-context.ts";

/** The turn to preview. Absent fields follow from the others. */
export interface PreviewQuery {
  /** A channel's id; absent for the API and the page. */
  channel?: string | undefined;
  account?: string | undefined;
  kind?: Target["kind"] | undefined;
  sender?: "owner" | "other" | undefined;
  /** A session key. The session need not exist, and its settings are ignored. */
  session?: string | undefined;
  mode?: PromptMode | undefined;
  thinking?: ThinkingLevel | undefined;
}

/** The placeholder id of a conversation that does not exist. */
const NOBODY = "preview";

/**
 * The context of the turn that a query describes.
 * @throws IsopodError `invalid_request` that names the field, `not_found` for the agent
 */
export function previewContext(agentId: string, query: PreviewQuery, services: Services): TurnContext {
  const { thinking } = query;
  const owner = query.sender !== "other";
  const said = query.session === undefined ? undefined : conversationOf(query.session, agentId);
  const channel = agreed("channel", query.channel, said?.channel);
  const kind = agreed("kind", query.kind, said?.kind) ?? "direct";
  if (kind !== "direct" && channel === undefined && said === undefined) {
    throw refused("kind", `a ${kind} is on a channel`, "Name it: channel=telegram.");
  }
  const target =
    channel === undefined ? null : { channel, accountId: accountOf(channel, query.account, services), kind };
  const key = query.session ?? keyOf(agentId, target, owner, services);
  return {
    services,
    agent: agentIn(services, agentId),
    origin: ORIGINS.person,
    session: { key, settings: {} },
    principal: { owner, place: kind },
    target,
    mode: query.mode ?? promptModeOf(key),
    ...(thinking !== undefined && { thinking }),
  };
}

/** The channel and kind of conversation in a session key. */
function conversationOf(key: string, agentId: string): Pick<PreviewQuery, "channel" | "kind"> {
  const { agentId: owner, kind, parts } = parseSessionKey(key);
  if (owner !== agentId)
    throw refused("session", `'${key}' belongs to the agent '${owner}'`, `Ask for ${owner}'s prompt.`);
  if (kind === "group" || kind === "channel") return { channel: parts[0], kind };
  return kind === "direct" && parts.length > 2 ? { channel: parts[0], kind } : {};
}

function agreed<Value extends string>(field: string, asked: Value | undefined, said: Value | undefined) {
  if (asked !== undefined && said !== undefined && asked !== said) {
    throw refused(field, `the session is one of '${said}', not of '${asked}'`, `Leave out ${field}, or session.`);
  }
  return asked ?? said;
}

/** The named account, else `default`, else the first. */
function accountOf(channel: string, asked: string | undefined, { channel: find, config }: Services): string {
  const accounts = Object.keys(config.channels[channel]?.accounts ?? {});
  const account = asked ?? (accounts.includes("default") ? "default" : accounts[0]);
  if (account === undefined || !accounts.includes(account)) {
    const [field, name] = accounts.length === 0 ? ["channel", channel] : ["account", asked];
    const ready = Object.entries(config.channels).flatMap(([id, entry]) =>
      Object.keys(entry?.accounts ?? {}).map((accountId) => `${id}/${accountId}`),
    );
    throw refused(field, `'${name}' has no account`, `Configured: ${ready.join(", ") || "none"}.`);
  }
  find(channel, account);
  return account;
}

function keyOf(agentId: string, target: TurnContext["target"], owner: boolean, { config }: Services): string {
  if (target === null) return mainSessionKey(agentId);
  return sessionKeyOf({ agentId, ...target, conversationId: NOBODY, peerId: NOBODY, owner }, config.session.dmScope);
}

function refused(field: string | undefined, problem: string, hint: string): IsopodError {
  return new IsopodError("invalid_request", `${field}: ${problem}`, hint);
}
