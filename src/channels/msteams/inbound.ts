import { z } from "zod";
import type { Author, InboundDeletion, InboundMessage } from "../channel.ts";
import type { Activity } from "./activity.ts";
import { readAttachments } from "./attachment.ts";
import { conversationOf } from "./conversation.ts";
import { mentionsBot, readText } from "./text.ts";

/** What an activity brings: a message, the deletion of one, or nothing. */
export type ReadEvent = InboundMessage | InboundDeletion | { kind: "ignored"; reason: string };

/** Converts an activity. */
export function toInbound(activity: Activity): ReadEvent {
  const { from, recipient, type } = activity;
  if (from.id === recipient.id) return { kind: "ignored", reason: "a message of the bot" };
  switch (type) {
    case "messageDelete":
      return deletion(activity);
    case "invoke":
      return pressed(
        activity,
        z.object({ action: z.object({ data: z.unknown().optional() }) }).safeParse(activity.value).data,
      );
    case "message":
    case "messageUpdate": {
      const says = buttonText(activity.value);
      return says === undefined ? written(activity) : press(activity, says);
    }
  }
}

function pressed(activity: Activity, value: { action: { data?: unknown } } | undefined): ReadEvent {
  const says = activity.name === "adaptiveCard/action" ? buttonText(value?.action.data) : undefined;
  if (says !== undefined) return press(activity, says);
  return { kind: "ignored", reason: `the invocation of ${activity.name ?? "nothing"}` };
}

function written(activity: Activity): ReadEvent {
  const { id, type, timestamp } = activity;
  const { text, quoted, replyToId } = readText(activity);
  const attachments = readAttachments(activity);
  if (text === "" && quoted === undefined && attachments.length === 0) {
    return { kind: "ignored", reason: "it has no content" };
  }
  const conversation = conversationOf(activity);
  const isEdit = type === "messageUpdate";
  return {
    kind: "message",
    dedupeId: isEdit ? `${eventId(activity)}|${timestamp ?? ""}` : eventId(activity),
    text,
    sender: authorOf(activity),
    conversation,
    mentioned: conversation.kind === "direct" || mentionsBot(activity),
    ...(replyToId !== undefined && { replyToId }),
    ...(quoted && { quoted }),
    attachments,
    messageId: id,
    ...(isEdit && { edited: true }),
    via: activity.serviceUrl,
  };
}

/** A pressed button says its text, and always to the bot. */
function press(activity: Activity, says: string): InboundMessage {
  return {
    kind: "message",
    dedupeId: eventId(activity),
    text: says,
    sender: authorOf(activity),
    conversation: conversationOf(activity),
    mentioned: true,
    attachments: [],
    messageId: activity.id,
    via: activity.serviceUrl,
  };
}

/** What a button of the agent brings: `says`. */
function buttonText(value: unknown): string | undefined {
  return z.object({ says: z.string().min(1) }).safeParse(value).data?.says;
}

function deletion(activity: Activity): InboundDeletion {
  const { id, timestamp } = activity;
  return {
    kind: "deletion",
    dedupeId: `${eventId(activity)}|deleted|${timestamp ?? ""}`,
    messageId: id,
    sender: authorOf(activity),
    conversation: conversationOf(activity),
  };
}

/** Ids of messages are times, and only unique in their conversation. */
function eventId({ id, conversation }: Activity): string {
  return `${conversation.id}|${id}`;
}

/** People are known by their id in the directory, which is the same for every bot; guests may have none. */
function authorOf({ from }: Activity): Author {
  const { id, name, aadObjectId } = from;
  const isBot = id.startsWith("28:");
  return { id: aadObjectId ?? id, ...(name && { name }), ...(isBot && { isBot: true }) };
}
