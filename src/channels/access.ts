import { ownId } from "../config/own-ids.ts";
import type { Activation } from "./activation.ts";
import type { AccessPolicy, AnyChannel, Conversation, InboundMessage } from "./channel.ts";
import { groupRulesOf } from "./group-rules.ts";

type Person = InboundMessage["sender"];

/** The input of an access decision. */
export interface AccessQuestion {
  channelId: string;
  policy: AccessPolicy;
  /** The sender as owners are named, by `personOf`. */
  person: Person;
  message: Pick<InboundMessage, "sender" | "conversation" | "mentioned">;
  /** Ids of senders that are paired with this account. */
  pairedIds: ReadonlySet<string>;
  /** Owners as `<channel>:<id>`, or as an id or `@username` on any channel; a star matches no one. */
  owners: readonly string[];
  /** The group's activation, if an owner has set it against the policy. */
  activation?: Activation | undefined;
}

export type AccessDecision =
  | { kind: "allow"; owner: boolean }
  /** An unknown sender, who is offered pairing. */
  | { kind: "pair" }
  /** A message in a group that does not address the agent: it may be kept, and is not answered. */
  | { kind: "overhear"; owner: boolean }
  | { kind: "ignore"; reason: string };

/**
 * Decides whether a message reaches the agent.
 *
 * Direct: an owner's always does, unless direct messages are off; otherwise the policy decides. Group: the group must
 * be allowed and the agent addressed; the sender's rights limit what the agent may do, not whether it answers. No list
 * matches an unverified sender.
 */
export function decideAccess(question: AccessQuestion): AccessDecision {
  if (question.message.sender.isBot && !question.policy.allowBots) return { kind: "ignore", reason: "a bot wrote it" };
  const owner = isOwner(question);
  return question.message.conversation.kind === "direct" ? decideDirect(question, owner) : decideGroup(question, owner);
}

function decideDirect(question: AccessQuestion, owner: boolean): AccessDecision {
  const { policy, message, pairedIds } = question;
  if (policy.dmPolicy === "disabled") return { kind: "ignore", reason: "direct messages are off" };
  if (message.sender.isUnverified && policy.dmPolicy !== "open") {
    return { kind: "ignore", reason: "nothing proves who the sender is" };
  }
  if (owner || policy.dmPolicy === "open" || isListed(question)) return { kind: "allow", owner };
  if (policy.dmPolicy === "allowlist") return { kind: "ignore", reason: "the sender is not in allowFrom" };
  return pairedIds.has(message.sender.id) ? { kind: "allow", owner } : { kind: "pair" };
}

function decideGroup({ policy, message, activation }: AccessQuestion, owner: boolean): AccessDecision {
  const group = message.conversation;
  if (policy.groupPolicy === "disabled") return { kind: "ignore", reason: "groups are off" };
  if (policy.groupPolicy === "allowlist" && groupRulesOf(policy.groups, group) === undefined) {
    return { kind: "ignore", reason: "the group is not in groups" };
  }
  const mode = activation ?? configuredActivation(policy, group);
  if (mode === "mention" && !message.mentioned) return { kind: "overhear", owner };
  return { kind: "allow", owner };
}

/** Whether the decision depends on the group's activation alone. */
export function hingesOnActivation({ message }: AccessQuestion, decision: AccessDecision): boolean {
  if (message.conversation.kind === "direct" || message.mentioned) return false;
  return decision.kind === "allow" || decision.kind === "overhear";
}

/** A group's activation by the configuration. */
export function configuredActivation(policy: AccessPolicy, group: Pick<Conversation, "id" | "parentId">): Activation {
  return (groupRulesOf(policy.groups, group)?.requireMention ?? policy.requireMention) ? "mention" : "always";
}

function isOwner({ channelId, person, owners }: AccessQuestion): boolean {
  return ownerEntry(owners, channelId, person) !== undefined;
}

/**
 * A sender among the people of all accounts. Where accounts have ids of their own, the id names the account, and a
 * username is one of the account `default`.
 */
export function personOf(sender: Person, { hasOwnIds }: Pick<AnyChannel, "hasOwnIds">, accountId: string): Person {
  if (!hasOwnIds) return sender;
  const { id, username, ...rest } = sender;
  const own = ownId({ accountId, id });
  return { ...rest, id: own, ...(own === id && username !== undefined && { username }) };
}

/** The entry of `owners` that a sender matches; undefined if none does. */
export function ownerEntry(owners: readonly string[], channelId: string, sender: Person): string | undefined {
  if (sender.isUnverified) return undefined;
  return owners.find((entry) => isOfChannel(entry, channelId) && isSender(entry, channelId, sender));
}

/** Whether the peer of a direct conversation is an owner. @param owners as in `AccessQuestion` */
export function isOwnerPeer(
  owners: readonly string[],
  { channel, accountId, peerId, hasOwnIds }: { channel: string; accountId: string; peerId: string; hasOwnIds?: true },
): boolean {
  const person = personOf({ id: peerId }, { ...(hasOwnIds && { hasOwnIds }) }, accountId);
  return ownerEntry(owners, channel, person) !== undefined;
}

/** An entry that names another channel matches nobody here, even if an id of this channel looks the same. */
function isOfChannel(entry: string, channelId: string): boolean {
  const named = /^([a-z][a-z0-9]*):/.exec(entry)?.[1];
  return named === undefined || named === channelId;
}

function isListed({ channelId, policy, message }: AccessQuestion): boolean {
  return policy.allowFrom.some((entry) => entry === "*" || isSender(entry, channelId, message.sender));
}

/** Usernames are compared case-insensitively, and only for entries with `@`: an id is never a name. */
function isSender(entry: string, channelId: string, sender: Person): boolean {
  const prefix = `${channelId}:`;
  const who = entry.startsWith(prefix) ? entry.slice(prefix.length) : entry;
  if (!who.startsWith("@")) return who === sender.id;
  return sender.username !== undefined && who.slice(1).toLowerCase() === sender.username.toLowerCase();
}
