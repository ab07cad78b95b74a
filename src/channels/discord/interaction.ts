import type { APIInteraction } from "discord-api-types/v10";
import { z } from "zod";
import type { Attachment, Conversation, InboundMessage } from "../channel.ts";
import {
  attachment,
  channelFacts,
  content,
  contentAttachments,
  contentText,
  embedText,
  member,
  quotation,
  serverConversation,
  snowflake,
  user,
  userAsAuthor,
} from "./payload.ts";
import { REPLY_TOKEN_MS, writeReplyToken } from "./reply-token.ts";

/** An option of a command: a value, or a subcommand with options of its own. */
const option = z.object({
  name: z.string(),
  type: z.int(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  get options() {
    return z.array(option).optional();
  },
});

const named = z.record(z.string(), z.object({ name: z.string().nullish() }));

/** A message that an interaction points to. */
const target = content.extend({ id: snowflake, author: user.optional() });

const resolved = z.object({
  users: z.record(z.string(), user).optional(),
  members: z.record(z.string(), member).optional(),
  roles: named.optional(),
  channels: named.optional(),
  messages: z.record(z.string(), target).optional(),
  attachments: z.record(z.string(), attachment).optional(),
});

const command = z.object({
  name: z.string(),
  type: z.int(),
  options: z.array(option).optional(),
  target_id: snowflake.optional(),
  resolved: resolved.optional(),
});

const component = z.object({ custom_id: z.string(), values: z.array(z.string()).optional() });

/** A field of a form, or a row or label around fields. */
const field = z.object({
  type: z.int().optional(),
  value: z.union([z.string(), z.boolean()]).nullish(),
  values: z.array(z.string()).optional(),
  get components() {
    return z.array(field).optional();
  },
  get component() {
    return field.optional();
  },
});

const form = z.object({ custom_id: z.string(), components: z.array(field) });

const head = {
  id: snowflake,
  application_id: snowflake,
  token: z.string().min(1),
  channel_id: snowflake.optional(),
  channel: channelFacts.optional(),
  guild_id: snowflake.optional(),
  context: z.int().optional(),
  member: member.extend({ user }).optional(),
  user: user.optional(),
};

const interaction = z.discriminatedUnion("type", [
  z.object({ type: z.literal(1) }),
  z.object({ ...head, type: z.literal(2), data: command }),
  z.object({ ...head, type: z.literal(3), data: component, message: target }),
  z.object({ type: z.literal(4) }),
  z.object({ ...head, type: z.literal(5), data: form }),
]);

const anyType = z.object({ type: z.int() });

/** The output of a schema for documented types; does not compile if the schema could reject one of them. */
type Reading<_Documented extends z.input<Schema>, Schema extends z.ZodType> = z.output<Schema>;

type Interaction = Reading<APIInteraction, typeof interaction>;
type Command = z.output<typeof command>;
type Field = z.output<typeof field>;
/** An interaction with which a person says something. */
type Saying = Exclude<Interaction, { type: 1 | 4 }>;

/** What an interaction is. */
export type ReadInteraction =
  | { kind: "ping" }
  | { kind: "autocomplete" }
  | { kind: "message"; message: InboundMessage; isPress: boolean }
  | { kind: "ignored"; reason: string }
  | { kind: "invalid"; problem: string };

/** Parses an interaction. A type that is not known is ignored. @param now when it came, in milliseconds */
export function readInteraction(body: unknown, now: number): ReadInteraction {
  const parsed = interaction.safeParse(body);
  if (!parsed.success) {
    const { data } = anyType.safeParse(body);
    if (data !== undefined && (data.type < 1 || data.type > 5))
      return { kind: "ignored", reason: `an interaction of the type ${data.type}` };
    return { kind: "invalid", problem: z.prettifyError(parsed.error) };
  }
  const { data: read } = parsed;
  if (read.type === 1) return { kind: "ping" };
  if (read.type === 4) return { kind: "autocomplete" };
  const sender = read.member?.user ?? read.user;
  if (sender === undefined) return { kind: "invalid", problem: "it has no user" };
  const conversation = conversationIn(read);
  if (conversation === undefined) return { kind: "ignored", reason: "it comes from no channel" };
  const said = wordsOf(read);
  if (said.text === "" && said.quoted === undefined && said.attachments.length === 0)
    return { kind: "ignored", reason: "it has no content" };
  return {
    kind: "message",
    message: toInbound(read, { ...said, sender: userAsAuthor(sender, read.member), conversation }, now),
    isPress: read.type === 3,
  };
}

/** What a person says with an interaction. */
type Words = Pick<InboundMessage, "text" | "quoted" | "attachments">;

function toInbound(
  read: Saying,
  said: Words & Pick<InboundMessage, "sender" | "conversation">,
  now: number,
): InboundMessage {
  const { id, application_id: applicationId, token, type } = read;
  const isAwaited = type !== PRESS;
  return {
    kind: "message",
    dedupeId: id,
    ...said,
    mentioned: true,
    messageId: type === PRESS ? read.message.id : id,
    replyToken: {
      value: writeReplyToken({ applicationId, token, isAwaited, cameAt: now }),
      expiresAt: now + REPLY_TOKEN_MS,
    },
  };
}

const PRESS = 3;

/** Where the bot itself writes with one person alone, others are never there. */
const CONTEXT_BOT_DM = 1;
const CHANNEL_DM = 1;

function conversationIn({ channel_id: id, channel, guild_id: guildId, context }: Saying): Conversation | undefined {
  if (id === undefined) return undefined;
  if (guildId !== undefined) return serverConversation(id, guildId, channel);
  const isDirect =
    context === undefined ? channel?.type === undefined || channel.type === CHANNEL_DM : context === CONTEXT_BOT_DM;
  return { kind: isDirect ? "direct" : "group", id, ...(!isDirect && channel?.name && { title: channel.name }) };
}

function wordsOf(read: Saying): Words {
  switch (read.type) {
    case 2:
      return commandWords(read.data);
    case 3:
      return { text: [read.data.custom_id, ...(read.data.values ?? [])].join(" "), attachments: [] };
    case 5:
      return { text: read.data.components.flatMap(fieldLines).join("\n"), attachments: [] };
  }
}

/** The command whose text is a message, not a command. */
export const ASK = "ask";

const USER_COMMAND = 2;
const MESSAGE_COMMAND = 3;
const ATTACHMENT_OPTION = 11;

function commandWords({ name, type, options = [], target_id: targetId = "", resolved = {} }: Command): Words {
  if (type === MESSAGE_COMMAND) {
    const pointed = resolved.messages?.[targetId];
    const texts = pointed === undefined ? [] : [contentText(pointed, NONE), embedText(pointed)];
    const quoted = quotation(texts, pointed?.author && userAsAuthor(pointed.author).name);
    return { text: name, ...(quoted && { quoted }), attachments: pointed ? contentAttachments(pointed) : [] };
  }
  if (type === USER_COMMAND) return { text: `${name} ${personName(targetId, resolved)}`, attachments: [] };
  const given = [...flatOptions(options)];
  const words = given.map((option) => optionText(option, resolved)).filter((word) => word !== "");
  return {
    text: (name === ASK ? words : [`/${name}`, ...words]).join(" "),
    attachments: given.flatMap(({ type, value }) => fileOf(type, value, resolved)),
  };
}

const NONE: ReadonlySet<string> = new Set();

type Option = z.output<typeof option>;

/** The options of a command in order; the names of its subcommands are options without a value. */
function* flatOptions(options: readonly Option[]): Generator<Option> {
  for (const one of options) {
    yield one;
    yield* flatOptions(one.options ?? []);
  }
}

type Resolved = z.output<typeof resolved>;

/** What a person has chosen, by its name; ids of what the interaction does not name stay as they are. */
function optionText({ name, type, value }: Option, at: Resolved): string {
  if (value === undefined) return name;
  const id = String(value);
  switch (type) {
    case 6:
      return personName(id, at);
    case 7:
      return `#${at.channels?.[id]?.name ?? id}`;
    case 8:
      return `@${at.roles?.[id]?.name ?? id}`;
    case 9:
      return at.users?.[id] === undefined ? `@${at.roles?.[id]?.name ?? id}` : personName(id, at);
    case ATTACHMENT_OPTION:
      return "";
    default:
      return id.trim();
  }
}

function personName(id: string, { users, members }: Resolved): string {
  const person = users?.[id];
  return `@${person === undefined ? id : userAsAuthor(person, members?.[id]).name}`;
}

function fileOf(type: number, value: Option["value"], { attachments: files }: Resolved): Attachment[] {
  const file = type === ATTACHMENT_OPTION ? files?.[String(value)] : undefined;
  return file === undefined ? [] : contentAttachments({ attachments: [file] });
}

/** What was entered into a field, or the fields within it. */
function fieldLines({ value, values = [], components = [], component }: Field): string[] {
  const own = [...(typeof value === "string" ? [value] : []), ...values];
  return [...own, ...components.flatMap(fieldLines), ...(component ? fieldLines(component) : [])].filter(
    (line) => line.trim() !== "",
  );
}
