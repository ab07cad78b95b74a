import { type AccessDecision, decideAccess, hingesOnActivation, personOf } from "../channels/access.ts";
import { findActivation } from "../channels/activation.ts";
import { addressedBy } from "../channels/addressed.ts";
import type { Delivery, InboundMessage } from "../channels/channel.ts";
import {
  acceptInvitation,
  findKnownPaired,
  forgetRequest,
  invitationCode,
  type Peer,
  requestPairing,
} from "../channels/pairing.ts";
import type { Agent } from "../config/agents.ts";
import { isAddressedIn } from "../config/group-chat.ts";
import { within } from "../lib/deadline.ts";
import { base32, newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { Config, OpenChannel } from "../services/services.ts";
import { type InboundSource, inboundSessionKey } from "./session-request.ts";

const PAIRING_CODE_BYTES = 5;
const SEND_TIMEOUT_MS = 20_000;

interface AccessDeps {
  agent: Agent;
  config: Config;
  database: D1Database;
  /** Keeps the request alive while D1 is asked again. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Decides whether the sender may use the agent. Reads D1 only for unknown senders and for a group's activation. */
export async function decideSenderAccess(
  source: InboundSource,
  { channel, context }: OpenChannel,
  { agent, config, database, waitUntil }: AccessDeps,
): Promise<AccessDecision> {
  const { ownerAllowFrom } = config.commands;
  const mentioned = source.message.mentioned || isAddressedIn(source.message.text, config, agent.id);
  const message = { ...source.message, mentioned };
  const question = {
    channelId: channel.id,
    policy: channel.access(context.account),
    message,
    person: personOf(message.sender, channel, source.accountId),
    pairedIds: new Set<string>(),
    owners: ownerAllowFrom,
  };
  const first = decideAccess(question);
  if (hingesOnActivation(question, first)) {
    const sessionKey = inboundSessionKey({ ...source, owner: false }, agent, config);
    return decideAccess({ ...question, activation: await findActivation(database, sessionKey, Date.now()) });
  }
  if (first.kind !== "pair") return first;
  const paired = await findKnownPaired(database, pairingPeer(source), Date.now(), waitUntil);
  if (paired === undefined) return first;
  const owners = paired.owner ? [...ownerAllowFrom, `${channel.id}:${question.person.id}`] : ownerAllowFrom;
  return decideAccess({ ...question, pairedIds: new Set([paired.id]), owners });
}

/** Sends an unknown sender a pairing code, once. */
export async function offerPairing(
  message: InboundMessage,
  { channel, context }: OpenChannel,
  database: D1Database,
): Promise<void> {
  const { sender } = message;
  const peer = pairingPeer({ channel, accountId: context.accountId, message });
  const code = base32(crypto.getRandomValues(new Uint8Array(PAIRING_CODE_BYTES))).toUpperCase();
  const now = Date.now();
  const { name } = sender;
  const isNew = await requestPairing(database, { ...peer, code, now, ...(name !== undefined && { senderName: name }) });
  if (!isNew) return;
  const text = `This agent does not know you yet. Ask its owner to approve this code: **${code}**`;
  for (const outcome of await sayAtOnce(text, message, { channel, context })) {
    log("info", "pairing.offered", { channel: channel.id, outcome });
    // The code did not arrive: the next message gets a new one.
    if (outcome === "retry" || outcome === "failed") await forgetRequest(database, peer);
  }
}

/**
 * Pairs a sender as an owner if the message accepts an invitation (`/start <code>`), and welcomes them.
 * @returns whether it did
 */
export async function welcomeOwner(message: InboundMessage, open: OpenChannel, deps: WelcomeDeps): Promise<boolean> {
  const { sender, conversation } = message;
  const code = conversation.kind === "direct" ? invitationCode(message.text) : undefined;
  if (code === undefined || sender.isUnverified) return false;
  const peer = pairingPeer({ channel: open.channel, accountId: open.context.accountId, message });
  const { name } = sender;
  const request = { ...peer, code, now: Date.now(), ...(name !== undefined && { senderName: name }) };
  if (!(await acceptInvitation(deps.database, request))) return false;
  const subject = `${peer.channelId}:${peer.accountId}:${sender.id}`;
  const event = { kind: "pairing", agentId: "", by: subject, subject, detail: "owner, by link" } as const;
  await noteSecurityEvent(deps.database, event, Date.now());
  deps.waitUntil(sayAtOnce(WELCOME, message, open));
  return true;
}

const WELCOME = "You are an owner of this agent now. Write to it here; `/help` lists the commands.";

type WelcomeDeps = Pick<AccessDeps, "database" | "waitUntil">;

/** Says something to the author of a message, outside of any session. Gives the outcome of each part. */
export async function sayAtOnce(
  text: string,
  message: InboundMessage,
  { channel, context }: OpenChannel,
): Promise<Delivery["outcome"][]> {
  const { target, ...rest } = addressedBy(message, channel.id, context.accountId);
  const { replyToId: _, ...conversation } = target;
  const to = { target: conversation, ...rest };
  const outcomes: Delivery["outcome"][] = [];
  for (const part of channel.format(text)) {
    const outbound = { ...to, text: part, deliveryId: newId("dlv", Date.now()) };
    outcomes.push((await within(SEND_TIMEOUT_MS, (signal) => channel.send(outbound, context, signal))).outcome);
  }
  return outcomes;
}

function pairingPeer({ channel, accountId, message }: InboundSource): Peer {
  return { channelId: channel.id, accountId, senderId: message.sender.id };
}
