import { z } from "zod";

const user = z.object({ name: z.string(), displayName: z.string().nullish(), type: z.string().nullish() });

const space = z.object({
  name: z.string(),
  displayName: z.string().nullish(),
  type: z.string().nullish(),
  spaceType: z.string().nullish(),
  singleUserBotDm: z.boolean().nullish(),
  spaceThreadingState: z.string().nullish(),
});

const attachment = z.object({
  contentName: z.string().nullish(),
  contentType: z.string().nullish(),
  attachmentDataRef: z.object({ resourceName: z.string().nullish() }).nullish(),
});

const annotation = z.object({
  type: z.string().nullish(),
  startIndex: z.int().nullish(),
  length: z.int().nullish(),
  userMention: z
    .object({ user: z.object({ name: z.string().nullish(), type: z.string().nullish() }).nullish() })
    .nullish(),
});

const message = z.object({
  name: z.string(),
  sender: user,
  text: z.string().nullish(),
  argumentText: z.string().nullish(),
  annotations: z.array(annotation).nullish(),
  attachment: z.array(attachment).nullish(),
  slashCommand: z.unknown().optional(),
  thread: z.object({ name: z.string().nullish() }).nullish(),
  space: space.nullish(),
  quotedMessageMetadata: z
    .object({
      name: z.string().nullish(),
      quotedMessageSnapshot: z.object({ text: z.string().nullish(), sender: z.string().nullish() }).nullish(),
    })
    .nullish(),
});

/** A pressed button; its message is one of the app. */
const press = z.object({
  message: message.pick({ name: true, thread: true, space: true }).nullish(),
  space: space.nullish(),
});

const parameters = z.record(z.string(), z.string());

/** An event of an app that is no add-on. */
const classic = z.object({
  type: z.string(),
  eventTime: z.string().nullish(),
  user: user.nullish(),
  space: space.nullish(),
  common: z.object({ parameters: parameters.nullish() }).nullish(),
});

/** An event of an add-on: its kind is the name of its payload. */
const addOn = z.object({
  chat: z.object({
    eventTime: z.string().nullish(),
    user: user.nullish(),
    messagePayload: z.object({ message, space: space.nullish() }).optional(),
    appCommandPayload: z.object({ message: message.nullish(), space: space.nullish() }).optional(),
    buttonClickedPayload: press.optional(),
  }),
  commonEventObject: z.object({ parameters: parameters.nullish() }).nullish(),
});

export type ChatMessage = z.output<typeof message>;
export type ChatSpace = z.output<typeof space>;
export type ChatUser = z.output<typeof user>;
export type ChatAttachment = z.output<typeof attachment>;

/** What a button of the agent brings, and where. */
export interface ChatPress {
  says: string;
  user: ChatUser;
  space: ChatSpace;
  thread: string | undefined;
  /** The message that it is below. */
  messageName: string;
  at: string;
}

export type ReadEvent =
  | { kind: "message"; message: ChatMessage; space: ChatSpace }
  | { kind: "press"; press: ChatPress }
  | { kind: "other"; reason: string }
  | { kind: "invalid"; problem: string };

/**
 * Parses one event, in either of the two forms that Google Chat sends. Unknown fields and kinds are ignored.
 * @see https://developers.google.com/workspace/chat/api/reference/rest/v1/Event
 * @see https://developers.google.com/workspace/add-ons/concepts/event-objects#chat-event-object
 */
export function readEvent(body: unknown): ReadEvent {
  const asAddOn = addOn.safeParse(body);
  if (asAddOn.success) return fromAddOn(asAddOn.data, body);
  const asClassic = classic.safeParse(body);
  if (asClassic.success) return fromClassic(asClassic.data, body);
  const isAddOn = typeof body === "object" && body !== null && "chat" in body;
  return { kind: "invalid", problem: z.prettifyError(isAddOn ? asAddOn.error : asClassic.error) };
}

function fromClassic({ type, eventTime, user, space, common }: z.output<typeof classic>, body: unknown): ReadEvent {
  if (type === "CARD_CLICKED") {
    const pressed = press.safeParse(body);
    if (!pressed.success) return { kind: "invalid", problem: z.prettifyError(pressed.error) };
    return asPress({ ...pressed.data, user, at: eventTime, says: common?.parameters?.says });
  }
  // An app that is added by a mention gets the message along with it.
  const hasMessage = type === "MESSAGE" || (type === "ADDED_TO_SPACE" && hasField(body, "message"));
  if (!hasMessage) return { kind: "other", reason: `an event of the kind ${type}` };
  const read = z.object({ message }).safeParse(body);
  if (!read.success) return { kind: "invalid", problem: z.prettifyError(read.error) };
  return asMessage(read.data.message, space);
}

function fromAddOn({ chat, commonEventObject }: z.output<typeof addOn>, body: unknown): ReadEvent {
  const { messagePayload, appCommandPayload, buttonClickedPayload, user, eventTime: at } = chat;
  if (messagePayload !== undefined) return asMessage(messagePayload.message, messagePayload.space);
  if (appCommandPayload?.message) return asMessage(appCommandPayload.message, appCommandPayload.space);
  if (buttonClickedPayload === undefined) return { kind: "other", reason: `an event with ${payloadName(body)}` };
  return asPress({ ...buttonClickedPayload, user, at, says: commonEventObject?.parameters?.says });
}

function asMessage(message: ChatMessage, given: ChatSpace | null | undefined): ReadEvent {
  const space = given ?? message.space;
  return space ? { kind: "message", message, space } : { kind: "invalid", problem: "The message has no space." };
}

interface Pressed extends z.output<typeof press> {
  user: ChatUser | null | undefined;
  at: string | null | undefined;
  says: string | undefined;
}

function asPress({ message, space: given, user, at, says }: Pressed): ReadEvent {
  const space = given ?? message?.space;
  if (!says) return { kind: "other", reason: "a button that is not the agent's" };
  if (!space || !user || !message || !at) return { kind: "other", reason: "a button without a place" };
  const thread = message.thread?.name ?? undefined;
  return { kind: "press", press: { says, user, space, thread, messageName: message.name, at } };
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === "object" && body !== null && Reflect.get(body, name) != null;
}

function payloadName(body: unknown): string {
  const { data } = z.object({ chat: z.looseObject({}) }).safeParse(body);
  return Object.keys(data?.chat ?? {}).find((key) => key.endsWith("Payload")) ?? "no payload";
}
