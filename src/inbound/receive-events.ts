import type {
  InboundDeletion,
  InboundEvent,
  InboundMessage,
  InboundOutcome,
  InboundReceipt,
} from "../channels/channel.ts";
import { groupRulesOf } from "../channels/group-rules.ts";
import { historyLimitOf } from "../config/group-chat.ts";
import { newRunId } from "../config/session-ids.ts";
import { locationOf } from "../config/session-location.ts";
import { IsopodError } from "../lib/errors.ts";
import { addressOf } from "../services/call-session.ts";
import type { Config, OpenChannel, Services } from "../services/services.ts";
import type { SessionEnv } from "../services/session-places.ts";
import { callSession } from "../session/api.ts";
import { decideSenderAccess, offerPairing, sayAtOnce, welcomeOwner } from "./access.ts";
import { acknowledge } from "./acknowledge.ts";
import { SenderCounts } from "./sender-rate.ts";
import {
  answeringAgent,
  inboundSessionKey,
  overheardRequest,
  type ReceivedMessage,
  sessionRequest,
} from "./session-request.ts";

/** Dependencies of the pipeline, provided by a webhook route, a gateway object or an email handler. */
export interface InboundDeps {
  services: Pick<Services, "config" | "revision" | "workspaceOf" | "authorShown" | "browserZone" | "dataKey">;
  database: D1Database;
  /** The Worker's own address, as the platform called it; absent where nothing calls it. */
  origin?: string;
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

/**
 * Takes up what one request of a platform brings, in order. Each message is stored by a session when this returns
 * `accepted` for it; the same message again is the same run.
 * @throws IsopodError what a session refuses, or `unavailable`: the platform then sends all of it again
 */
export async function receiveEvents(
  events: readonly InboundEvent[],
  open: OpenChannel,
  deps: InboundDeps,
): Promise<InboundOutcome[]> {
  const outcomes: InboundOutcome[] = [];
  for (const event of events) {
    if (event.kind === "receipt") outcomes.push(await receiveReceipt(event, open, deps));
    else outcomes.push(await receiveMessage(event.kind === "message" ? event : deletionNote(event), open, deps));
  }
  return outcomes;
}

/**
 * Tells the session of a conversation what became of a message of the agent. Only what failed matters: it is shown to
 * people as a delivery that did not arrive.
 */
async function receiveReceipt(
  { kind: _, conversation, outcome, ...failed }: InboundReceipt,
  { channel, context }: OpenChannel,
  { services, env, database, waitUntil }: InboundDeps,
): Promise<InboundOutcome> {
  if (outcome !== "failed") return { kind: "ignored", reason: `a message was ${outcome}` };
  const sender = { id: conversation.id };
  const message = { conversation, sender, text: "", mentioned: true } as const;
  const source = { channel, accountId: context.accountId, message };
  const agent = answeringAgent(source, services);
  const { config } = services;
  const decision = await decideSenderAccess(source, { channel, context }, { agent, config, database, waitUntil });
  const owner = "owner" in decision && decision.owner;
  const sessionKey = inboundSessionKey({ ...source, owner }, agent, config);
  const address = await addressOf(env, sessionKey, locationOf(config, sessionKey));
  const isKnown = await callSession(env, address, (session) => session.failDelivery(failed));
  return isKnown ? { kind: "accepted" } : { kind: "ignored", reason: "the failure of a message that is not known" };
}

/** A deletion as a message without words that takes back an earlier one. */
function deletionNote({ kind: _, ...deletion }: InboundDeletion): ReceivedMessage {
  return { ...deletion, kind: "message", text: "", mentioned: false, attachments: [], deleted: true };
}

/** The pipeline for every inbound message: access, pairing, agent, session. */
async function receiveMessage(message: ReceivedMessage, open: OpenChannel, deps: InboundDeps): Promise<InboundOutcome> {
  const { services, database, env, waitUntil } = deps;
  const { config, revision: configRevision } = services;
  const source = { channel: open.channel, accountId: open.context.accountId, message };
  const agent = answeringAgent(source, services);
  if (await welcomeOwner(message, open, { database, waitUntil })) return { kind: "accepted" };
  const decision = await decideSenderAccess(source, open, { agent, config, database, waitUntil });
  if (decision.kind === "ignore") return { kind: "ignored", reason: decision.reason, isUnwanted: true };
  if (decision.kind === "pair") {
    waitUntil(offerPairing(message, open, database));
    return { kind: "ignored", reason: "the sender is not paired" };
  }
  if (!decision.owner) {
    const rated = senderCounts.count(
      `${open.channel.id}:${source.accountId}:${message.sender.id}`,
      config.security.senderRate,
      Date.now(),
      message.dedupeId,
    );
    if (rated.over) {
      if (rated.tell && decision.kind === "allow") waitUntil(sayAtOnce(TOO_MANY, message, open));
      return { kind: "ignored", reason: "the sender writes more than security.senderRate allows" };
    }
  }
  const limit = decision.kind === "overhear" ? historyLimitIn(message, open, config, agent.id) : undefined;
  if (limit === 0) return { kind: "ignored", reason: "the agent was not addressed" };
  const admitted = { ...source, owner: decision.owner, origin: deps.origin };
  const request = await (limit === undefined
    ? sessionRequest(admitted, agent, services)
    : overheardRequest(admitted, agent, services, limit));
  const address = await addressOf(env, request.sessionKey, locationOf(config, request.sessionKey));
  const accept = { ...request, runId: newRunId(address.name, Date.now()), configRevision };
  try {
    await callSession(env, address, (session) => session.accept(accept));
  } catch (error) {
    if (error instanceof IsopodError && (error.code === "gone" || error.details.reason === "bots_alone")) {
      return { kind: "ignored", reason: error.message };
    }
    if (!(error instanceof IsopodError) || error.code !== "rate_limited") throw error;
    const { over, ...told } = fullCounts.count(request.sessionKey, NONE, Date.now());
    if (over && "tell" in told && told.tell && limit === undefined) waitUntil(sayAtOnce(FULL, message, open));
    return { kind: "ignored", reason: "too many messages wait in its session" };
  }
  if (limit === undefined) waitUntil(acknowledge(message, open, config.messages, agent.emoji));
  return { kind: "accepted" };
}

/** How many messages of a group that do not address the agent are kept for it: by the group, else by the agent. */
function historyLimitIn(
  { conversation }: InboundMessage,
  { channel, context }: OpenChannel,
  config: Config,
  agentId: string,
): number {
  const rules = groupRulesOf(channel.access(context.account).groups, conversation);
  return rules?.historyLimit ?? historyLimitOf(config, agentId);
}
