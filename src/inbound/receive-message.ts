import type { InboundMessage } from "../channels/channel.ts";
import { groupRulesOf } from "../channels/group-rules.ts";
import { historyLimitOf } from "../config/group-chat.ts";
import { newRunId } from "../config/session-ids.ts";
import { locationOf } from "../config/session-location.ts";
import { IsopodError } from "../lib/errors.ts";
import { addressOf } from "../services/call-session.ts";
import type { Config, OpenChannel, Services } from "../services/services.ts";
import type { SessionEnv } from "../services/session-places.ts";
import { callSession } from "../session/api.ts";
import { decideSenderAccess, offerPairing, sayAtOnce } from "./access.ts";
import { acknowledge } from "./acknowledge.ts";
import { SenderCounts } from "./sender-rate.ts";
import { answeringAgent, overheardRequest, sessionRequest } from "./session-request.ts";

/** Dependencies of the pipeline, provided by a webhook route, a gateway object, an email handler or a poller. */
export interface InboundDeps {
  services: Pick<Services, "config" | "revision" | "workspaceOf" | "authorShown" | "browserZone">;
  database: D1Database;
  /** The sessions' objects. */
  env: SessionEnv;
  /** Keeps work alive that continues after the response. */
  waitUntil(work: Promise<unknown>): void;
}

const senderCounts = new SenderCounts();
/** Messages that found a session full; a conversation is told once a minute. */
const fullCounts = new SenderCounts();
const NONE = { messagesPerMinute: 0, messagesPerDay: Number.POSITIVE_INFINITY };
const FULL = "Too many messages wait here. This one was not taken up: send it again when I have answered.";
const TOO_MANY = "You write faster than I may read. This message was not taken up: wait a minute, then send it again.";

export type InboundOutcome = { kind: "accepted" } | { kind: "ignored"; reason: string };

/**
 * The pipeline for every inbound message: access, pairing, agent, attachments, session. A session has stored the
 * message when this returns `accepted`; the same message again is the same run.
 * @throws IsopodError what the session refuses, or `unavailable`
 */
export async function receiveMessage(
  message: InboundMessage,
  open: OpenChannel,
  { services, database, env, waitUntil }: InboundDeps,
): Promise<InboundOutcome> {
  const { config, revision: configRevision } = services;
  const source = { channelId: open.channel.id, accountId: open.context.accountId, message };
  const agent = answeringAgent(source, services);
  const decision = await decideSenderAccess(source, open, { agent, config, database, waitUntil });
  if (decision.kind === "ignore") return { kind: "ignored", reason: decision.reason };
  if (decision.kind === "pair") {
    waitUntil(offerPairing(source, open, database));
    return { kind: "ignored", reason: "the sender is not paired" };
  }
  if (!decision.owner) {
    const rated = senderCounts.count(
      `${source.channelId}:${source.accountId}:${message.sender.id}`,
      config.security.senderRate,
      Date.now(),
    );
    if (rated.over) {
      if (rated.tell && decision.kind === "allow") waitUntil(sayAtOnce(TOO_MANY, message, open));
      return { kind: "ignored", reason: "the sender writes more than security.senderRate allows" };
    }
  }
  const limit = decision.kind === "overhear" ? historyLimitIn(message, open, config, agent.id) : undefined;
  if (limit === 0) return { kind: "ignored", reason: "the agent was not addressed" };
  const admitted = { ...source, owner: decision.owner };
  const request = await (limit === undefined
    ? sessionRequest(admitted, agent, services)
    : overheardRequest(admitted, agent, services, limit));
  const address = await addressOf(env, request.sessionKey, locationOf(config, request.sessionKey));
  const accept = { ...request, runId: newRunId(address.name, Date.now()), configRevision };
  try {
    await callSession(env, address, (session) => session.accept(accept));
  } catch (error) {
    if (error instanceof IsopodError && error.code === "gone") return { kind: "ignored", reason: error.message };
    if (!(error instanceof IsopodError) || error.code !== "rate_limited") throw error;
    const { over, ...told } = fullCounts.count(request.sessionKey, NONE, Date.now());
    if (over && "tell" in told && told.tell && limit === undefined) waitUntil(sayAtOnce(FULL, message, open));
    return { kind: "ignored", reason: "too many messages wait in its session" };
  }
  if (limit === undefined) waitUntil(acknowledge(message, open, config.messages));
  return { kind: "accepted" };
}

/** How many messages of a group that do not address the agent are kept for it: by the group, else by the agent. */
function historyLimitIn(
  { conversation }: InboundMessage,
  { channel, context }: OpenChannel,
  config: Config,
  agentId: string,
): number {
  const rules = groupRulesOf(channel.access(context.account).groups, conversation.id);
  return rules?.historyLimit ?? historyLimitOf(config, agentId);
}
