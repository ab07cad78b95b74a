import { ownerEntry } from "../channels/access.ts";
import type { Attachment, InboundMessage, Target } from "../channels/channel.ts";
import { readCommand } from "../commands/index.ts";
import type { Agent } from "../config/agents.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { readCapped } from "../lib/read-capped.ts";
import { groupTitle } from "../models/user-text.ts";
import { wrapExternal } from "../security/external-content.ts";
import { detectInjection } from "../security/external-content-detection.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import { agentIn, type Config, type Services } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import { type KeptFile, keepInInbox, safeName } from "../turn/inbox.ts";
import { MAX_FILE_BYTES, type Workspace } from "../workspace/workspace.ts";

const MAX_ATTACHMENTS = 10;

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
  const kept = await Promise.all(
    attachments.map((attachment) => keepAttachment(attachment, message, channelId, workspace)),
  );
  const name = sender.name ?? sender.username;
  return {
    sessionKey: inboundSessionKey(admitted, agent, config),
    agentId: agent.id,
    idempotencyKey: `${channelId}:${accountId}:${message.dedupeId}`,
    target,
    input: {
      ...words(admitted, kept),
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

/**
 * The words of a message with the notes on its files, and the fenced text that it quotes. Commands get no quote, and few
 * get notes.
 */
function words(
  { message, owner }: AdmittedMessage,
  kept: readonly KeptFile[],
): Pick<AcceptRequest["input"], "text" | "quoted"> {
  const command = owner ? readCommand(message.text)?.command.kind : undefined;
  const quoted = command === undefined ? quotedText(message) : "";
  const notes = command === undefined || command === "reset" ? kept.map((file) => file.note) : [];
  const text = [message.text, ...notes].filter((part) => part !== "").join("\n\n");
  return { text, ...(quoted !== "" && { quoted }) };
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

/** The message that this one replies to, marked as external content because another person may have written it. */
function quotedText({ quoted }: InboundMessage): string {
  if (quoted === undefined) return "";
  const suspected = detectInjection(quoted.text);
  if (suspected.length > 0) log("warn", "injection.suspected", { source: "quoted", patterns: suspected.join(" ") });
  const author = quoted.senderName === undefined ? {} : { metadata: { "Quoted from": quoted.senderName } };
  return wrapExternal(quoted.text, { source: "channel_metadata", id: newFenceId(), ...author });
}

/** Stores an attachment in the workspace. Its path follows from the message, so a redelivery writes the same file. */
async function keepAttachment(
  attachment: Attachment,
  message: InboundMessage,
  channelId: string,
  workspace: Workspace,
): Promise<KeptFile> {
  const name = safeName(attachment.name);
  const path = `inbox/${channelId}-${safeName(message.conversation.id)}-${safeName(message.messageId)}-${name}`;
  try {
    const bytes = await readCapped(await attachment.open(), MAX_FILE_BYTES);
    if (bytes === undefined) return { note: `[The file ${name} is over ${MAX_FILE_BYTES} bytes and was not kept.]` };
    return await keepInInbox({ path, bytes, mediaType: attachment.mediaType }, workspace);
  } catch (error) {
    return { note: `[The file ${name} could not be fetched: ${messageOf(error)}]` };
  }
}
