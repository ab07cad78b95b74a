import { ownerEntry, personOf } from "../channels/access.ts";
import { addressedBy } from "../channels/addressed.ts";
import type { AnyChannel, InboundMessage, Target } from "../channels/channel.ts";
import { readCommand } from "../commands/index.ts";
import type { Agent } from "../config/agents.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { groupTitle } from "../models/user-text.ts";
import {
  checkWords,
  fromOutside,
  type InjectionAction,
  type LabelledText,
  type OutsidePort,
  type Suspicion,
} from "../security/from-outside.ts";
import { joinLabels, strangerLabel } from "../security/labels.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import { agentIn, type Config, type Services, tokenPurpose } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import { type KeptFile, keepFile, safeName, shownFiles, withUniqueNames } from "../turn/inbox.ts";
import { isRecording } from "../turn/transcribe-file.ts";

const MAX_ATTACHMENTS = 10;
/** How long the parts of an album are waited for after each, in milliseconds. */
const ALBUM_MS = 1000;

/** A message as the pipeline takes it up, or the deletion of one, which has no words. */
export type ReceivedMessage = InboundMessage & { deleted?: true };

/** Who speaks where, and the account on which it arrived. */
export interface InboundSource {
  channel: Pick<AnyChannel, "id" | "threadWord" | "hasVisitors" | "hasOwnIds">;
  accountId: string;
  message: Pick<InboundMessage, "sender" | "conversation" | "text" | "mentioned">;
}

/** A message whose sender was admitted. */
interface AdmittedMessage extends InboundSource {
  message: ReceivedMessage;
  owner: boolean;
  /** The Worker's own address, as the platform called it. */
  origin: string | undefined;
}

type RequestServices = Pick<Services, "config" | "workspaceOf" | "authorShown" | "dataKey">;

/**
 * Converts a message to a session's request. The bytes that came with it are in the workspace when this returns; its
 * other files are fetched by the session.
 */
export async function sessionRequest(
  admitted: AdmittedMessage,
  agent: Agent,
  services: RequestServices,
): Promise<Omit<AcceptRequest, "runId">> {
  const { config } = services;
  const { channel, accountId, message, owner } = admitted;
  const { sender, edited, deleted, groupId } = message;
  const attachments = withUniqueNames(message.attachments.slice(0, MAX_ATTACHMENTS));
  const { conversation, messageId } = message;
  const senderId = personOf(sender, channel, accountId).id;
  const origin = {
    ...{ channel: channel.id, conversationId: conversation.id, messageId, senderId, owner },
    ...(channel.hasOwnIds && accountId !== "default" && { accountId }),
  };
  const arrived = await Promise.all(
    attachments.flatMap((one) =>
      "bytes" in one ? [keepFile(one, origin, services.workspaceOf(agent)).then((file) => ({ one, file }))] : [],
    ),
  );
  // The session transcribes recordings, once the message is accepted.
  const recordings = arrived.flatMap(({ one: { bytes: _, ...facts }, file: { path } }) =>
    path !== undefined && isRecording(path, facts) ? [{ ...facts, path }] : [],
  );
  const kept = arrived.map(({ file }) => file).filter(({ path }) => !recordings.some((one) => one.path === path));
  const files = [...attachments.flatMap((one) => ("reference" in one ? [one] : [])), ...recordings];
  const name = sender.name ?? sender.username;
  const holdMs = groupId === undefined ? inboundDebounceMs(config, channel.id) : ALBUM_MS;
  return {
    sessionKey: inboundSessionKey(admitted, agent, config),
    agentId: agent.id,
    idempotencyKey: `${channel.id}:${accountId}:${message.dedupeId}`,
    target: await targetOf(admitted, services),
    ...((edited || deleted) && { revises: messageId }),
    input: {
      ...words(admitted, kept, services.config.security.injection.action),
      ...shownFiles(kept),
      ...(files.length > 0 && { files }),
      sender: { id: senderId, owner, ...(name !== undefined && { name }), ...(sender.isBot && { isBot: true }) },
      said: await circumstances(admitted, agent, services),
      timeoutSeconds: agent.defaults.timeoutSeconds,
      ...(groupId !== undefined && { groupId }),
      ...(holdMs > 0 && { holdMs }),
    },
  };
}

function inboundDebounceMs({ messages }: Pick<Config, "messages">, channelId: string): number {
  const { debounceMs, byChannel } = messages.inbound;
  return byChannel[channelId] ?? debounceMs;
}

/** The conversation of a message as a destination. The channel's token is encrypted; without a key it is left out. */
export async function targetOf(
  { channel, accountId, message, origin }: Pick<AdmittedMessage, "channel" | "accountId" | "message" | "origin">,
  { dataKey }: Pick<Services, "dataKey">,
): Promise<Target> {
  const { replyToken } = message;
  const sealed = replyToken && (await dataKey?.seal(replyToken.value, tokenPurpose(channel.id, accountId)));
  return {
    ...addressedBy(message, channel.id, accountId).target,
    ...(sealed !== undefined && replyToken && { token: { sealed, expiresAt: replyToken.expiresAt } }),
    ...(origin !== undefined && { origin }),
    ...(channel.hasVisitors && { isVisitor: true }),
  };
}

/**
 * The request that keeps a group's message which does not address the agent. No model is called for it, and its files
 * are only named.
 * @param limit how many of them in a row models are shown
 */
export async function overheardRequest(
  admitted: AdmittedMessage,
  agent: Agent,
  services: RequestServices,
  limit: number,
): Promise<Omit<AcceptRequest, "runId">> {
  const { message } = admitted;
  const names = message.attachments.slice(0, MAX_ATTACHMENTS).map(({ name }) => `[File: ${safeName(name)}]`);
  const text = [message.text, ...names].filter((part) => part !== "").join("\n");
  const request = await sessionRequest(
    { ...admitted, message: { ...message, text, attachments: [] } },
    agent,
    services,
  );
  return { ...request, input: { ...request.input, timeoutSeconds: 0, origin: { kind: "overheard", limit } } };
}

/** The words of a message with the notes on its files, and what it quotes. Commands get no quote, and few get notes. */
function words(
  admitted: AdmittedMessage,
  kept: readonly KeptFile[],
  onInjection: InjectionAction,
): Pick<AcceptRequest["input"], "text" | "quoted" | "labels" | "suspected"> {
  const { message, owner } = admitted;
  const command = owner ? readCommand(message.text)?.command.kind : undefined;
  const notes = command === undefined || command === "reset" ? kept.map((file) => file.note) : [];
  const { text: said, ...outside } = outsideWords(admitted, command !== undefined, onInjection);
  return { text: [said, ...notes].filter((part) => part !== "").join("\n\n"), ...outside };
}

/** When, where and by whom a message was said, as models are shown it. */
async function circumstances(
  { channel, accountId, message, owner }: AdmittedMessage,
  agent: Agent,
  { config, authorShown }: Pick<Services, "config" | "authorShown">,
): Promise<NonNullable<AcceptRequest["input"]["said"]>> {
  const { sender, conversation, messageId, edited, deleted } = message;
  const { kind: place, title } = conversation;
  const person = personOf(sender, channel, accountId);
  const id = `${channel.id}:${person.id}`;
  const entry = owner ? (ownerEntry(config.commands.ownerAllowFrom, channel.id, person) ?? id) : undefined;
  return {
    zone: agent.defaults.userTimezone ?? "UTC",
    place,
    as: await authorShown(id, entry),
    messageId,
    ...(deleted ? { change: "deleted" as const } : edited && { change: "edited" as const }),
    ...(place !== "direct" && { fenceId: newFenceId(), ...(title !== undefined && { title: groupTitle(title) }) }),
  };
}

/** The agent that answers a conversation, by the configuration's bindings. */
export function answeringAgent(source: InboundSource, services: Pick<Services, "config" | "browserZone">): Agent {
  return agentIn(services, routedAgentId(services.config, conversationPlace(source)));
}

/** The key of the session that a message belongs to. */
export function inboundSessionKey(admitted: InboundSource & { owner: boolean }, agent: Agent, config: Config): string {
  return routedSessionKey(config, agent.id, { ...conversationPlace(admitted), owner: admitted.owner });
}

function conversationPlace({ channel, accountId, message }: InboundSource): Omit<RoutingInput, "owner"> {
  const { kind, id: conversationId, threadId, spaceId } = message.conversation;
  const { id, threadWord, hasVisitors, hasOwnIds } = channel;
  const thread = threadId === undefined ? {} : { threadId, ...(threadWord && { threadWord }) };
  const place = { channel: id, accountId, kind, conversationId, ...thread, spaceId, peerId: message.sender.id };
  return { ...place, ...(hasVisitors && { isVisitor: true }), ...(hasOwnIds && { hasOwnIds }) };
}

/** A message's words; the quoted text, fenced; and of what is not an owner's its labels and looks of an injection. */
function outsideWords(
  { channel, message, owner }: AdmittedMessage,
  isCommand: boolean,
  onInjection: InjectionAction,
): Pick<AcceptRequest["input"], "text" | "quoted" | "labels" | "suspected"> {
  const { text: said, quoted } = message;
  const own = owner ? { text: said, labels: [], patterns: [] } : checkWords({ text: said, labels: [] }, onInjection);
  const suspected = [...own.patterns];
  const port = { newFenceId, onInjection, suspect: ({ patterns }: Suspicion) => suspected.push(...patterns) };
  const words = quoted === undefined || isCommand ? undefined : quotedWords(channel.id, quoted, port);
  const labels = joinLabels(own.labels, words?.labels);
  return {
    text: own.text,
    ...(words !== undefined && { quoted: words.text }),
    ...(labels.length > 0 && { labels }),
    ...(suspected.length > 0 && { suspected }),
  };
}

function quotedWords(
  channelId: string,
  { text, senderName }: NonNullable<AdmittedMessage["message"]["quoted"]>,
  port: OutsidePort,
): LabelledText {
  const labels = [strangerLabel(`${channelId}:${senderName ?? "quoted"}`)];
  const author = senderName === undefined ? {} : { metadata: { "Quoted from": senderName } };
  return fromOutside({ text, source: "channel_metadata", labels, ...author }, port);
}
