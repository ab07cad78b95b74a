import type { Attachment, InboundMessage, Target } from "../channels/channel.ts";
import { readCommand } from "../commands/index.ts";
import { type Agent, agentOf } from "../config/agents.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { wrapExternal } from "../security/external-content.ts";
import { detectInjection } from "../security/external-content-detection.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { Config, Services } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import { type KeptFile, keepInInbox, safeName } from "../turn/inbox.ts";
import { MAX_FILE_BYTES, type Workspace } from "../workspace/workspace.ts";

const MAX_ATTACHMENTS = 10;

/** A message and where it came in. */
export interface Arrival {
  channelId: string;
  accountId: string;
  message: InboundMessage;
  /** Whether an owner speaks. */
  owner: boolean;
}

/** The request to a session that a message from a channel is. Its files are in the workspace before this is done. */
export async function requestOf(
  arrival: Arrival,
  agent: Agent,
  config: Config,
  workspace: Workspace,
): Promise<Omit<AcceptRequest, "runId">> {
  const { channelId, accountId, message, owner } = arrival;
  const { conversation, sender } = message;
  const { kind, id: conversationId, threadId } = conversation;
  const thread = threadId === undefined ? {} : { threadId };
  const sessionKey = keyOf(arrival, agent, config);
  const target: Target = {
    channel: channelId,
    accountId,
    kind,
    conversationId,
    ...thread,
    replyToId: message.messageId,
  };
  const kept = await Promise.all(
    message.attachments.slice(0, MAX_ATTACHMENTS).map((attachment) => keep(attachment, message, channelId, workspace)),
  );
  const name = sender.name ?? sender.username;
  return {
    sessionKey,
    agentId: agent.id,
    idempotencyKey: `${channelId}:${accountId}:${message.dedupeId}`,
    target,
    input: {
      text: textOf(arrival, kept),
      images: kept.flatMap((file) => file.image ?? []),
      sender: { id: sender.id, owner, ...(name !== undefined && { name }) },
      timeoutSeconds: agent.defaults.timeoutSeconds,
    },
  };
}

/** What was said, with what it answers in front and its files behind. A command answers nothing, and few take files. */
function textOf({ message, owner }: Arrival, kept: readonly KeptFile[]): string {
  const typed = owner ? readCommand(message.text)?.command.kind : undefined;
  const quote = typed === undefined ? quoteOf(message) : "";
  const notes = typed === undefined || typed === "reset" ? kept.map((file) => file.note) : [];
  return [quote, message.text, ...notes].filter((part) => part !== "").join("\n\n");
}

/** The agent that answers what comes in at a place. */
export function answeringAgent(arrival: Omit<Arrival, "owner">, { config }: Services): Agent {
  return agentOf(config, routedAgentId(config, placeOf(arrival)));
}

/** The session that a message belongs to. */
export function conversationKey(arrival: Arrival, services: Services): string {
  return keyOf(arrival, answeringAgent(arrival, services), services.config);
}

function keyOf(arrival: Arrival, agent: Agent, config: Config): string {
  return routedSessionKey(config, agent.id, { ...placeOf(arrival), owner: arrival.owner });
}

function placeOf({ channelId, accountId, message }: Omit<Arrival, "owner">): Omit<RoutingInput, "owner"> {
  const { kind, id: conversationId, threadId, spaceId } = message.conversation;
  const thread = threadId === undefined ? {} : { threadId };
  return { channel: channelId, accountId, kind, conversationId, ...thread, spaceId, peerId: message.sender.id };
}

/** What the message answers, which somebody else wrote. */
function quoteOf({ quoted }: InboundMessage): string {
  if (quoted === undefined) return "";
  const suspected = detectInjection(quoted.text);
  if (suspected.length > 0) log("warn", "injection.suspected", { source: "quoted", patterns: suspected.join(" ") });
  const author = quoted.senderName === undefined ? {} : { metadata: { "Quoted from": quoted.senderName } };
  return wrapExternal(quoted.text, { source: "channel_metadata", id: newFenceId(), ...author });
}

/** Stores a file of a message in the workspace; the same message again is the same place. */
async function keep(
  attachment: Attachment,
  message: InboundMessage,
  channelId: string,
  workspace: Workspace,
): Promise<KeptFile> {
  const name = safeName(attachment.name);
  const path = `inbox/${channelId}-${safeName(message.conversation.id)}-${safeName(message.messageId)}-${name}`;
  try {
    const bytes = await readAtMost(await attachment.open(), MAX_FILE_BYTES);
    if (bytes === undefined) return { note: `[The file ${name} is over ${MAX_FILE_BYTES} bytes and was not kept.]` };
    return await keepInInbox({ path, bytes, mediaType: attachment.mediaType }, workspace);
  } catch (error) {
    return { note: `[The file ${name} could not be fetched: ${messageOf(error)}]` };
  }
}

async function readAtMost(stream: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
