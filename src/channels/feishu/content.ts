import { z } from "zod";
import type { Attachment } from "../channel.ts";
import { voiceNote } from "../voice-note.ts";
import type { FeishuMention, FeishuMessage } from "./event.ts";

/** What a message says and brings. */
export interface FeishuContent {
  text: string;
  attachments: readonly Attachment[];
  /** Words of another author. */
  quoted?: string;
}

/** A piece of rich text. Pictures and files are in it as well. */
const piece = z.object({
  tag: z.string(),
  text: z.string().optional(),
  href: z.string().optional(),
  user_id: z.string().optional(),
  user_name: z.string().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  file_name: z.string().optional(),
  language: z.string().optional(),
  emoji_type: z.string().optional(),
});
type Piece = z.output<typeof piece>;

const lines = z.array(z.array(piece));
const post = z.object({ title: z.string().optional(), content: lines });

const fields = z.object({
  text: z.string().optional(),
  title: z.string().nullish(),
  content: z.unknown().optional(),
  elements: z.unknown().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  file_name: z.string().optional(),
  /** In milliseconds. */
  duration: z.coerce.number().optional().catch(undefined),
  name: z.string().optional(),
  latitude: z.union([z.string(), z.number()]).optional(),
  longitude: z.union([z.string(), z.number()]).optional(),
  chat_id: z.string().optional(),
  user_id: z.string().optional(),
  topic: z.string().optional(),
  summary: z.unknown().optional(),
  options: z.array(z.string()).optional(),
});
type Fields = z.output<typeof fields>;

/**
 * Reads the content of a message; undefined for one that says nothing to the agent.
 * @param bot the bot's open id: its own mentions are left out, others are names
 */
export function readContent(message: FeishuMessage, bot: string | undefined): FeishuContent | undefined {
  const read = fields.safeParse(parsed(message.content)).data;
  if (read === undefined) return undefined;
  const { mentions } = message;
  const named = (text: string) => withNames(text, mentions ?? [], bot);
  switch (message.message_type) {
    case "text":
      return { text: named(read.text ?? ""), attachments: [] };
    case "post":
      return readPost(message, parsed(message.content), named);
    case "image":
      return { text: "", attachments: fileOf(message, "image", read.image_key, `image-${message.message_id}.jpg`) };
    case "file":
      return { text: "", attachments: fileOf(message, "file", read.file_key, read.file_name ?? "file") };
    case "audio":
      return voiceNote(fileOf(message, "file", read.file_key, `voice-${message.message_id}.ogg`), {
        ms: read.duration,
      });
    case "media":
      return { text: "", attachments: fileOf(message, "file", read.file_key, read.file_name ?? "video.mp4") };
    case "interactive":
      return { text: "", attachments: [], quoted: cardText(read) };
    case "system":
      return undefined;
    default:
      return { text: named(describe(message.message_type, read)), attachments: [] };
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Words for what has no text of its own, and for types that are not known yet. */
function describe(type: string, read: Fields): string {
  switch (type) {
    case "sticker":
      return "[sticker]";
    case "location":
      return `[location: ${[read.latitude, read.longitude, read.name].filter((part) => part !== undefined).join(", ")}]`;
    case "share_chat":
      return `[group card: ${read.chat_id ?? ""}]`;
    case "share_user":
      return `[contact card: ${read.user_id ?? ""}]`;
    case "folder":
      return `[folder: ${read.file_name ?? ""}]`;
    case "merge_forward":
      return "[forwarded messages, which Feishu does not hand over]";
    default: {
      const summary = typeof read.summary === "string" ? read.summary : undefined;
      const said = [read.text, read.topic, summary, ...(read.options ?? [])].filter((part) => part !== undefined);
      return said.length > 0 ? said.join("\n") : `[message of the type ${type}]`;
    }
  }
}

/** Rich text comes as it is, or below its language. */
function readPost(
  message: FeishuMessage,
  content: unknown,
  named: (text: string) => string,
): FeishuContent | undefined {
  const inLanguage = z.record(z.string(), z.unknown()).safeParse(content).data ?? {};
  const read = [content, ...Object.values(inLanguage)].map((one) => post.safeParse(one).data).find((one) => one);
  if (read === undefined) return undefined;
  const body = read.content.map((line) => line.map(pieceText).join(""));
  const text = [read.title ?? "", ...body].join("\n").trim();
  const attachments = read.content.flat().flatMap((one, n) => {
    const name = `${one.tag === "img" ? "image" : "video"}-${message.message_id}-${n}`;
    if (one.tag === "img") return fileOf(message, "image", one.image_key, `${name}.jpg`);
    return one.tag === "media" ? fileOf(message, "file", one.file_key, one.file_name ?? `${name}.mp4`) : [];
  });
  return { text: named(text), attachments };
}

function pieceText({
  tag,
  text = "",
  href,
  user_id: user = "",
  user_name: name,
  language = "",
  emoji_type,
}: Piece): string {
  switch (tag) {
    case "a":
      return href === undefined || href === text ? text : `${text} (${href})`;
    case "at":
      // The key of a mention, whose name is beside the message; older posts have ids.
      return user.startsWith("@_") ? user : `@${name || user}`;
    case "emotion":
      return `[${emoji_type ?? "emoji"}]`;
    case "code_block":
      return `\n\`\`\`${language.toLowerCase()}\n${text}\n\`\`\``;
    case "hr":
      return "\n---\n";
    default:
      return text;
  }
}

/** The words of a card: its title and its lines. */
function cardText({ title, elements }: Fields): string {
  const read = lines.safeParse(elements).data ?? [];
  const text = [title ?? "", ...read.map((line) => line.map(pieceText).join(""))].join("\n").trim();
  return text === "" ? "[card]" : text;
}

function fileOf(
  { message_id: messageId }: FeishuMessage,
  type: "image" | "file",
  key: string | undefined,
  name: string,
): Attachment[] {
  if (key === undefined) return [];
  const mediaType = type === "image" ? { mediaType: "image/jpeg" } : {};
  return [{ name, ...mediaType, reference: { messageId, key, type } }];
}

/**
 * Puts names where the keys of mentions are, and leaves the bot's out, so that a command behind it is one. A text of
 * nothing else keeps it.
 */
function withNames(text: string, mentions: readonly FeishuMention[], bot: string | undefined): string {
  const name = (key: string, mentioned: FeishuMention | undefined) => `@${mentioned?.name || key.slice(2)}`;
  const written = (leavesOut: string | undefined) =>
    text
      .replace(/(@_(?:user_\d+|all)) ?/g, (match, key: string) => {
        const mentioned = mentions.find((one) => one.key === key);
        const isLeftOut = leavesOut !== undefined && mentioned?.id?.open_id === leavesOut;
        return isLeftOut ? "" : match.replace(key, () => name(key, mentioned));
      })
      .trim();
  return written(bot) || written(undefined);
}
