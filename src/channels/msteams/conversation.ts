import type { Conversation } from "../channel.ts";
import type { Activity } from "./activity.ts";

const THREAD = ";messageid=";

/** The id of a channel's conversation names the thread: that of the message which began it. */
export function conversationOf({ conversation, channelData }: Activity): Conversation {
  const [id = "", threadId] = conversation.id.split(THREAD);
  const kind = kindOf(conversation, id);
  const spaceId = channelData?.team?.id ?? channelData?.teamsTeamId;
  const names = [channelData?.team?.name, channelData?.channel?.name ?? conversation.name];
  const title = names.filter((name) => name).join(" / ");
  return {
    kind,
    id,
    ...(title !== "" && kind !== "direct" && { title }),
    ...(threadId !== undefined && { threadId }),
    ...(spaceId && { spaceId }),
  };
}

function kindOf({ conversationType, isGroup }: Activity["conversation"], id: string): Conversation["kind"] {
  if (conversationType === "personal" || (!conversationType && !isGroup)) return "direct";
  return conversationType === "channel" || (!conversationType && isChannel(id)) ? "channel" : "group";
}

function isChannel(id: string): boolean {
  return /@thread\.(?:tacv2|skype)$/.test(id);
}

/** The conversation of an id: a chat, a channel, or a person, with whom a chat is begun. */
export function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  if (/^a:[\w-]{1,250}$/.test(id) || isPerson(id)) return { kind: "direct", id };
  if (!/^19:[\w.:-]{1,200}@[\w.]{1,40}$/.test(id)) return undefined;
  return { kind: isChannel(id) ? "channel" : "group", id };
}

/** Whether an id is a person's: in the directory, or for this bot. */
export function isPerson(id: string): boolean {
  return /^(?:29:[\w-]{1,200}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(id);
}

/** The id of a conversation as the connector has it. */
export function connectorId(conversationId: string, threadId: string | undefined): string {
  return threadId === undefined ? conversationId : `${conversationId}${THREAD}${threadId}`;
}
