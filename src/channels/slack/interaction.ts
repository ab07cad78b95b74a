import type { Conversation, InboundMessage, InboundOutcome, ReceiveResult } from "../channel.ts";
import { conversationKind, isSlackAddress, type SlackContext } from "./account.ts";
import type { SlackCommand, SlackPress } from "./payload.ts";
import { readable } from "./readable.ts";

/** How long Slack takes answers at a `response_url`, of which there may be five. */
const RESPONSE_URL_MS = 30 * 60_000;

/** A slash command as a message: the words of the account's own command, any other command as it was typed. */
export function receiveCommand(given: SlackCommand, context: SlackContext): ReceiveResult {
  const { command, channel_id: channel, user_id: userId, user_name: name, team_id: teamId } = given;
  const words = readable(given.text).trim();
  const isOwn = command === context.account.slashCommand;
  const message: InboundMessage = {
    kind: "message",
    dedupeId: given.trigger_id,
    text: isOwn ? words || "/help" : `${command} ${words}`.trim(),
    sender: { id: userId, ...(name && { name }) },
    conversation: conversation(channel, teamId, undefined),
    mentioned: true,
    attachments: [],
    messageId: given.trigger_id,
    ...privately(userId, given.response_url, context),
  };
  return { kind: "events", events: [message], answer: answerCommand };
}

/** Slack shows the answer to the command's author alone; nothing if it is empty. */
function answerCommand([outcome]: readonly InboundOutcome[]): Response {
  if (outcome?.kind !== "ignored") return new Response();
  return Response.json({ response_type: "ephemeral", text: `This was not taken up: ${outcome.reason}.` });
}

/** The message that a pressed button stands for. */
export function receivePress(given: SlackPress, context: SlackContext): ReceiveResult {
  const { user, team, container, message, actions } = given;
  const channel = given.channel?.id ?? container.channel_id;
  const { message_ts: messageId } = container;
  const button = actions.find(({ type, value }) => type === "button" && value);
  if (channel == null || messageId == null || !button?.value) {
    return { kind: "answered", reason: "a press that says nothing", response: new Response() };
  }
  const name = user.username || user.name;
  const press: InboundMessage = {
    kind: "message",
    dedupeId: `${channel}:${messageId}:${button.action_ts ?? ""}:${user.id}`,
    text: button.value,
    sender: { id: user.id, ...(name && { name }) },
    conversation: conversation(channel, team?.id, threadOf(messageId, container.thread_ts ?? message?.thread_ts)),
    mentioned: true,
    attachments: [],
    messageId,
    ...(container.is_ephemeral && privately(user.id, given.response_url, context)),
  };
  return { kind: "events", events: [press], answer: () => new Response() };
}

/** The first message of a thread names itself. */
function threadOf(messageId: string, thread: string | null | undefined): string | undefined {
  return thread == null || thread === messageId ? undefined : thread;
}

function conversation(id: string, teamId: string | null | undefined, threadId: string | undefined): Conversation {
  return {
    kind: conversationKind(id),
    id,
    ...(threadId !== undefined && { threadId }),
    ...(teamId != null && { spaceId: teamId }),
  };
}

/**
 * What only one member sees is answered where only that member sees it: at the `response_url`, later in the member's
 * own DM. The app may be in no conversation with what it answers otherwise.
 */
function privately(
  userId: string,
  responseUrl: string | null | undefined,
  { account, now }: SlackContext,
): Pick<InboundMessage, "via" | "replyToken"> {
  if (responseUrl == null || !isSlackAddress(responseUrl, account)) return { via: userId };
  return { via: userId, replyToken: { value: responseUrl, expiresAt: now() + RESPONSE_URL_MS } };
}
