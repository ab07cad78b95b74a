import { withoutTags } from "../../agent/reply-tags.ts";
import { isOwnerPeer } from "../../channels/access.ts";
import type { Target } from "../../channels/channel.ts";
import { findPaired } from "../../channels/pairing.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../../config/bindings.ts";
import { conversationPlace } from "../../services/conversation-place.ts";
import { agentIn, type Services } from "../../services/services.ts";
import type { Fence } from "../../session-store/fence.ts";
import { enqueue, isSameConversation, type OutboxPart, runDeliveries } from "../../session-store/outbox.ts";
import { SESSION_CHANNEL, sessionTarget } from "../../session-store/session-channel.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import type { Store } from "../../session-store/store.ts";
import type { AttachedFile, DeliverySource } from "../../session-store/stored-shapes.ts";
import type { ConversationAddress, OutboxPort, OwnMessage, OwnReaction, QueuedMessage } from "../../tools/message.ts";
import type { CallRef } from "../../tools/sessions-port.ts";
import type { ActiveRun } from "../active-run.ts";
import { callName, spawnDepth } from "../lineage.ts";
import type { TurnContext } from "../turn-context.ts";
import { attach, fileLine } from "./files.ts";
import { replyTargets } from "./reply-parts.ts";

/** Dependencies of `outboxPort`. */
export interface OutboxPortDeps {
  store: Store;
  fence: Fence;
  session(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Services;
  now(): number;
  /** Runs the message hooks over a text and formats it. */
  deliveryFormat: {
    prepareParts(markdown: string, target: Target, runId: string): Promise<readonly OutboxPart[] | { refusal: string }>;
  };
  /** Sends what is due. */
  deliveries: { drainSoon(): Promise<void> };
  database: D1Database;
  /** Keeps the object alive for work that is not awaited. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Sends a run's own messages to channels (the message tool). */
export function outboxPort(run: ActiveRun, deps: OutboxPortDeps): OutboxPort {
  return {
    send: (message, call) => send(message, call, run, deps),
    react: (reaction, signal) => react(reaction, signal, run, deps.services()),
  };
}

/**
 * Whether a turn may send messages: not in a sub-agent, which reports to its parent, and not without a configured
 * channel.
 */
export function hasWayOut({
  session,
  principal,
  target,
  services,
}: Pick<TurnContext, "session" | "principal" | "target" | "services">): boolean {
  if (spawnDepth(session) > 0) return false;
  return target !== null || (principal.owner && hasReadyChannel(services));
}

function hasReadyChannel(services: Services): boolean {
  return Object.entries(services.config.channels).some(([channelId, entry]) =>
    Object.keys(entry?.accounts ?? {}).some((accountId) => {
      const { channel, context } = services.channel(channelId, accountId);
      return channel.isReady(context);
    }),
  );
}

/**
 * Stores a message in one commit, with the note for the session that owns the conversation, if it is another one.
 * Message hooks run first: a message that they cancel is not stored, and the tool call fails with the reason.
 */
async function send(
  message: OwnMessage,
  { callId, signal }: CallRef,
  run: ActiveRun,
  deps: OutboxPortDeps,
): Promise<QueuedMessage> {
  const { store, fence, deliveries, now, waitUntil } = deps;
  const target = targetOf(message.to, run, deps.services());
  const shown = `${target.channel}:${target.conversationId}`;
  const ownerKey = await ownerKeyOf(target, run, deps);
  const name = await callName(run, deps.session().key, callId);
  const known = storedAs(name, run, store);
  if (known.length > 0) return { status: "queued", to: shown, deliveryIds: known };
  const { parts, told } = await messageParts(message, target, run, deps);
  const deliveryIds = parts.map((_, n) => `dlv_${nth(name, n)}`);
  signal.throwIfAborted();
  fence.write(() => {
    enqueue(store, { runId: run.row.id, parts, deliveryIds }, now());
    if (ownerKey === deps.session().key) return;
    const note = { target: sessionTarget(ownerKey), text: told };
    enqueue(store, { runId: run.row.id, parts: [note], deliveryIds: [`dlv_${nth(name, parts.length)}`] }, now());
  });
  waitUntil(deliveries.drainSoon());
  return { status: "queued", to: shown, deliveryIds };
}

async function react(
  { emoji, to, messageId: named }: OwnReaction,
  signal: AbortSignal,
  run: ActiveRun,
  services: Services,
): Promise<void> {
  const target = targetOf(to, run, services);
  const { channel, context } = services.channel(target.channel, target.accountId);
  const level = channel.reactions?.level(context.account) ?? "off";
  if (channel.reactions === undefined || level === "off" || level === "ack") {
    throw new Error(`Reactions are off on ${target.channel}.`);
  }
  const messageId = named ?? target.replyToId;
  if (messageId === undefined) throw new Error("Say to which message: `messageId`.");
  const delivery = await channel.reactions.react({ target, messageId, emoji }, context, signal);
  if (delivery.outcome !== "delivered") throw new Error(delivery.reason);
}

/** The stored parts of a call, in order; none before it has run. */
function storedAs(name: string, { row }: ActiveRun, store: Store): string[] {
  const own = runDeliveries(store, row.id).filter(({ target }) => target?.channel !== SESSION_CHANNEL);
  const ids = new Set(own.map(({ deliveryId }) => deliveryId));
  const named = Array.from(own, (_, n) => `dlv_${nth(name, n)}`);
  return named.filter((id) => ids.has(id));
}

/** The name of the nth part, of the same length. */
function nth(name: string, n: number): string {
  const digits = String(n);
  return n === 0 ? name : `${name.slice(0, -digits.length - 1)}u${digits}`;
}

/** @throws Error if the run may not send there, or there is no such conversation */
function targetOf(to: ConversationAddress | undefined, { row, principal }: ActiveRun, services: Services): Target {
  if (to === undefined) {
    if (row.target === null) throw new Error("Say to whom: `to` is <channel>:<conversation id>.");
    return row.target;
  }
  const { channel: channelId, conversationId, threadId } = to;
  const accountId = to.accountId ?? accountOf(channelId, row.target, services);
  const { channel } = services.channel(channelId, accountId);
  const place = channel.conversationOf?.(conversationId);
  if (place === undefined) throw new Error(`'${conversationId}' is no conversation of ${channelId}.`);
  const thread = threadId === undefined ? {} : { threadId };
  const target = { channel: channelId, accountId, kind: place.kind, conversationId: place.id, ...thread };
  if (row.target !== null && isSameConversation(target, row.target)) return row.target;
  if (!principal.owner) throw new Error("Only an owner may have messages sent to another conversation.");
  return target;
}

/** The default account: the one that the run arrived on, else `default`, else the first. */
function accountOf(channelId: string, target: Target | null, { config }: Services): string {
  if (target?.channel === channelId) return target.accountId;
  const accounts = Object.keys(config.channels[channelId]?.accounts ?? {});
  return accounts.includes("default") ? "default" : (accounts[0] ?? "default");
}

/** The session that a conversation belongs to, which would receive a reply from there. */
async function ownerKeyOf(target: Target, { row }: ActiveRun, deps: OutboxPortDeps): Promise<string> {
  if (row.target !== null && isSameConversation(target, row.target)) return deps.session().key;
  const services = deps.services();
  const { config } = services;
  const place = conversationPlace(target, services);
  const owner = target.kind === "direct" && (await isOwner(place, config.commands.ownerAllowFrom, deps.database));
  return routedSessionKey(config, routedAgentId(config, place), { ...place, owner });
}

async function isOwner(
  place: Omit<RoutingInput, "owner">,
  owners: readonly string[],
  database: D1Database,
): Promise<boolean> {
  if (isOwnerPeer(owners, place)) return true;
  const { channel: channelId, accountId, peerId: senderId } = place;
  return (await findPaired(database, { channelId, accountId, senderId }))?.owner === true;
}

/**
 * The parts of an agent's own message after the message hooks: its text, then its files. `told` is the note for the
 * session that owns the conversation.
 * @throws Error with the reason why it may not be sent
 */
export async function messageParts(
  { text: written, replyTo, files = [], buttons }: OwnMessage,
  target: Target,
  run: ActiveRun,
  deps: OutboxPortDeps,
): Promise<{ parts: OutboxPart[]; told: string }> {
  const { text, directives } = withoutTags(written);
  const answered = replyTo === undefined ? directives.replyTo : { id: replyTo };
  const { first, rest } = replyTargets(target, "off", { ...(answered && { replyTo: answered }), isFirst: false });
  const paths = [...new Set([...files, ...(directives.files ?? [])])];
  const attached = await attachedTo(paths, directives.asVoice === true, run, deps);
  const message: DeliverySource = { kind: "message", text, ...(buttons && { buttons }) };
  const parts = text.trim() === "" ? [] : await prepareParts(text, message, first, run, deps);
  for (const file of attached) {
    const place = parts.length === 0 ? first : rest;
    parts.push(...(await prepareParts(fileLine(file), file, place, run, deps)).slice(0, 1));
  }
  if (parts.length === 0) throw new Error("There is nothing to see in it.");
  return { parts, told: [text.trim(), ...attached.map(fileLine)].filter((line) => line !== "").join("\n") };
}

async function prepareParts(
  markdown: string,
  said: DeliverySource,
  place: Target,
  { row }: ActiveRun,
  { deliveryFormat }: OutboxPortDeps,
): Promise<OutboxPart[]> {
  const parts = await deliveryFormat.prepareParts(markdown, place, row.id);
  if ("refusal" in parts) throw new Error(`It was not sent. ${parts.refusal}`);
  return parts.map((part, n) => (n === 0 ? { ...part, source: said } : part));
}

async function attachedTo(
  paths: readonly string[],
  asVoice: boolean,
  { principal }: ActiveRun,
  { services, session }: OutboxPortDeps,
): Promise<readonly AttachedFile[]> {
  if (paths.length === 0) return [];
  if (!principal.owner) throw new Error("Only an owner may have files of the workspace sent.");
  const workspace = services().workspaceOf(agentIn(services(), session().agentId));
  const named = paths.map((path) => ({ path, ...(asVoice && { asVoice }) }));
  const { files, problems } = await attach(named, workspace);
  if (problems.length > 0) throw new Error(`Nothing was sent.\n${problems.join("\n")}`);
  return files;
}
