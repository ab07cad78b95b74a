import type { Attachment, InboundMessage, ReceiveResult } from "../channel.ts";
import { voiceNote } from "../voice-note.ts";
import { refuse } from "../webhook.ts";
import { TASK_PREFIX } from "./card.ts";
import { isUserId } from "./user-id.ts";

/** WeCom takes any words in an answer for a reply to show. */
const EMPTY = () => new Response("");

/** Reads the fields of a message or event. */
export function receiveFields(
  fields: ReadonlyMap<string, string>,
  { agentId }: { agentId: string | undefined },
): ReceiveResult {
  const get = (name: string) => fields.get(name)?.trim() || undefined;
  const [from, type] = [get("FromUserName"), get("MsgType")];
  if (from === undefined || type === undefined) return refuse("invalid_request", "FromUserName or MsgType is missing.");
  const addressee = get("AgentID");
  if (agentId !== undefined && addressee !== undefined && addressee !== agentId) {
    return ignore("it is for another application");
  }
  if (!isUserId(from)) return ignore("its sender is no member");
  const sender = { sender: { id: from }, conversation: { kind: "direct", id: from }, mentioned: true } as const;
  if (type === "event") {
    const pressed = pressedButton(get, from);
    return pressed === undefined ? ignore(`an event ${get("Event") ?? ""}`) : message({ ...pressed, ...sender });
  }
  const id = get("MsgId");
  if (id === undefined) return refuse("invalid_request", "MsgId is missing.");
  const content = readContent(type, id, fields);
  if (content === undefined) return ignore(`a message of the type ${type}`);
  if (content.text === "" && content.attachments.length === 0) return ignore("it has no content");
  return message({ dedupeId: id, messageId: id, ...content, ...sender });
}

function ignore(reason: string): ReceiveResult {
  return { kind: "answered", reason, response: EMPTY() };
}

function message(said: Omit<InboundMessage, "kind">): ReceiveResult {
  return { kind: "events", events: [{ kind: "message", ...said }], answer: EMPTY };
}

/** A press of a button of our cards: the button's key is what it says. Events have no id. */
function pressedButton(get: (name: string) => string | undefined, from: string) {
  const [task, key] = [get("TaskId"), get("EventKey")];
  if (get("Event") !== "template_card_event" || task === undefined || key === undefined) return undefined;
  if (!task.startsWith(TASK_PREFIX)) return undefined;
  const dedupeId = `${from}:${get("CreateTime") ?? ""}:${task}:${key}`;
  return { dedupeId, messageId: task, text: key, attachments: [] };
}

type Content = Pick<InboundMessage, "text" | "attachments" | "quoted">;

function readContent(type: string, id: string, fields: ReadonlyMap<string, string>): Content | undefined {
  const get = (name: string) => fields.get(name) ?? "";
  switch (type) {
    case "text":
      return { text: get("Content"), attachments: [] };
    case "image":
      return { text: "", attachments: file(get("MediaId"), `image-${id}.jpg`, "image/jpeg") };
    case "voice":
      // With speech recognition the words come along.
      return voiceNote(file(get("MediaId"), `voice-${id}.${voiceSuffix(get("Format"))}`), {
        words: get("Recognition"),
      });
    case "video":
    case "shortvideo":
      return { text: "", attachments: file(get("MediaId"), `video-${id}.mp4`, "video/mp4") };
    case "file":
      return { text: "", attachments: file(get("MediaId"), get("FileName") || get("Title") || `file-${id}`) };
    case "location": {
      const place = [get("Location_X"), get("Location_Y"), get("Label")].filter((part) => part !== "");
      return { text: `[location: ${place.join(", ")}]`, attachments: [] };
    }
    case "link": {
      const description = get("Description");
      const text = `[link: ${[get("Title"), get("Url")].filter((part) => part !== "").join(", ")}]`;
      return { text, attachments: [], ...(description !== "" && { quoted: { text: description } }) };
    }
    default:
      return undefined;
  }
}

function voiceSuffix(format: string): string {
  return /^[a-z0-9]{2,5}$/i.test(format) ? format.toLowerCase() : "amr";
}

function file(mediaId: string, name: string, mediaType?: string): Attachment[] {
  if (mediaId === "") return [];
  return [{ name, ...(mediaType !== undefined && { mediaType }), reference: { mediaId } }];
}
