import { ownerEntry } from "../channels/access.ts";
import type { Attachment, InboundMessage, Target } from "../channels/channel.ts";
import { readCommand } from "../commands/index.ts";
import type { Agent } from "../config/agents.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { messageOf } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";
import { groupTitle } from "../models/user-text.ts";
import {
  checkWords,
  fromOutside,
  type InjectionAction,
  type LabelledText,
  type OutsidePort,
  type Suspicion,
} from "../security/from-outside.ts";
import { joinLabels, type Label, strangerLabel } from "../security/labels.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import { agentIn, type Config, type Services } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import { type KeptFile, keepInInbox, safeName } from "../turn/inbox.ts";
import { MAX_FILE_BYTES, type Workspace } from "../workspace/workspace.ts";

const MAX_ATTACHMENTS = 10;
/** What people who are not owners may store: a file, and all files of one conversation that nobody has accepted. */
const MAX_STRANGER_FILE_BYTES = 2 * 1024 * 1024;
const MAX_STRANGER_FILES = 100;
const MAX_STRANGER_BYTES = 20 * 1024 * 1024;

/** A message and the account on which it arrived. */
export interface InboundSource {
  channelId: string;
  accountId: string;
  message: InboundMessage;
}

/** A message whose sender was admitted. */
interface AdmittedMessage extends InboundSource {
  owner: boolean;
}

/** Converts a message to a session's request. Its attachments are in the workspace when this returns. */
export async function sessionRequest(
  admitted: AdmittedMessage,
  agent: Agent,
  services: Pick<Services, "config" | "workspaceOf" | "authorShown">,
): Promise<Omit<AcceptRequest, "runId">> {
  const { config } = services;
  const workspace = services.workspaceOf(agent);
  const { channelId, accountId, message, owner } = admitted;
  const { conversation, sender } = message;
  const { kind, id: conversationId, threadId } = conversation;
  const thread = threadId === undefined ? {} : { threadId };
  const target: Target = {
    channel: channelId,
    accountId,
    kind,
    conversationId,
    ...thread,
    replyToId: message.messageId,
  };
  const attachments = message.attachments.slice(0, MAX_ATTACHMENTS);
  const kept = await Promise.all(attachments.map((attachment) => keepAttachment(attachment, admitted, workspace)));
  const name = sender.name ?? sender.username;
  return {
    sessionKey: inboundSessionKey(admitted, agent, config),
    agentId: agent.id,
    idempotencyKey: `${channelId}:${accountId}:${message.dedupeId}`,
    target,
    input: {
      ...words(admitted, kept, services.config.security.injection.action),
      images: kept.flatMap((file) => file.image ?? []),
      sender: { id: sender.id, owner, ...(name !== undefined && { name }) },
      said: await circumstances(admitted, agent, services),
      timeoutSeconds: agent.defaults.timeoutSeconds,
    },
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
  services: Pick<Services, "config" | "workspaceOf" | "authorShown">,
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
  { channelId, message, owner }: AdmittedMessage,
  agent: Agent,
  { config, authorShown }: Pick<Services, "config" | "authorShown">,
): Promise<NonNullable<AcceptRequest["input"]["said"]>> {
  const { sender, conversation, messageId } = message;
  const { kind: place, title } = conversation;
  const id = `${channelId}:${sender.id}`;
  const entry = owner ? (ownerEntry(config.commands.ownerAllowFrom, channelId, sender) ?? id) : undefined;
  return {
    zone: agent.defaults.userTimezone ?? "UTC",
    place,
    as: await authorShown(id, entry),
    messageId,
    ...(place !== "direct" && { fenceId: newFenceId(), ...(title !== undefined && { title: groupTitle(title) }) }),
  };
}

/** The agent that answers a conversation, by the configuration's bindings. */
export function answeringAgent(source: InboundSource, services: Pick<Services, "config" | "browserZone">): Agent {
  return agentIn(services, routedAgentId(services.config, conversationPlace(source)));
}

/** The key of the session that a message belongs to. */
export function inboundSessionKey(admitted: AdmittedMessage, agent: Agent, config: Config): string {
  return routedSessionKey(config, agent.id, { ...conversationPlace(admitted), owner: admitted.owner });
}

function conversationPlace({ channelId, accountId, message }: InboundSource): Omit<RoutingInput, "owner"> {
  const { kind, id: conversationId, threadId, spaceId } = message.conversation;
  const thread = threadId === undefined ? {} : { threadId };
  return { channel: channelId, accountId, kind, conversationId, ...thread, spaceId, peerId: message.sender.id };
}

/** A message's words; the quoted text, fenced; and of what is not an owner's its labels and looks of an injection. */
function outsideWords(
  { channelId, message, owner }: AdmittedMessage,
  isCommand: boolean,
  onInjection: InjectionAction,
): Pick<AcceptRequest["input"], "text" | "quoted" | "labels" | "suspected"> {
  const { text: said, quoted } = message;
  const own = owner ? { text: said, labels: [], patterns: [] } : checkWords({ text: said, labels: [] }, onInjection);
  const suspected = [...own.patterns];
  const port = { newFenceId, onInjection, suspect: ({ patterns }: Suspicion) => suspected.push(...patterns) };
  const words = quoted === undefined || isCommand ? undefined : quotedWords(channelId, quoted, port);
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

/** Whether a conversation's strangers may store more in the inbox. One listing. */
async function hasRoom(workspace: Workspace, prefix: string, bytes: number): Promise<boolean> {
  const files = (await workspace.list("inbox")).flatMap((entry) =>
    entry.kind === "file" && entry.path.startsWith(prefix) && entry.labels !== undefined ? [entry.size] : [],
  );
  return files.length < MAX_STRANGER_FILES && files.reduce((sum, size) => sum + size, bytes) <= MAX_STRANGER_BYTES;
}

/** Stores an attachment in the workspace. Its path follows from the message, so a redelivery writes the same file. */
async function keepAttachment(
  attachment: Attachment,
  { message, channelId, owner }: AdmittedMessage,
  workspace: Workspace,
): Promise<KeptFile> {
  const name = safeName(attachment.name);
  const path = `inbox/${channelId}-${safeName(message.conversation.id)}-${safeName(message.messageId)}-${name}`;
  try {
    const labels: readonly Label[] = owner ? [] : [strangerLabel(`${channelId}:${message.sender.id}`)];
    const max = owner ? MAX_FILE_BYTES : MAX_STRANGER_FILE_BYTES;
    const bytes = await readCapped(await attachment.open(), max);
    if (bytes === undefined) return { note: `[The file ${name} is over ${max} bytes and was not kept.]` };
    if (
      !owner &&
      !(await hasRoom(workspace, `inbox/${channelId}-${safeName(message.conversation.id)}-`, bytes.length))
    ) {
      return {
        note: `[The file ${name} was not kept: people who are not owners have sent as much as there is room for.]`,
      };
    }
    return await keepInInbox({ path, bytes, mediaType: attachment.mediaType, labels }, workspace);
  } catch (error) {
    return { note: `[The file ${name} could not be fetched: ${messageOf(error)}]` };
  }
}
