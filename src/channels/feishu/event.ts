import { z } from "zod";

const userId = z.object({
  open_id: z.string().optional(),
  union_id: z.string().optional(),
  user_id: z.string().nullish(),
});

const mention = z.object({ key: z.string(), id: userId.optional(), name: z.string().default("") });

const message = z.object({
  message_id: z.string().min(1),
  root_id: z.string().optional(),
  parent_id: z.string().optional(),
  thread_id: z.string().optional(),
  chat_id: z.string().min(1),
  /** `p2p`, `group` or `topic_group`. */
  chat_type: z.string(),
  message_type: z.string(),
  /** JSON, by the type. */
  content: z.string(),
  mentions: z.array(mention).nullish(),
});

const received = z.object({
  sender: z.object({ sender_id: userId, sender_type: z.string().default("user") }),
  message,
});

const recalled = z.object({ message_id: z.string().min(1), chat_id: z.string().min(1) });

/** A press of a card's button. */
const pressed = z.object({
  operator: userId,
  action: z.object({ value: z.unknown().optional() }),
  context: z.object({ open_message_id: z.string(), open_chat_id: z.string() }),
});

const knownEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("im.message.receive_v1"), event: received }),
  z.object({ type: z.literal("im.message.recalled_v1"), event: recalled }),
  z.object({ type: z.literal("card.action.trigger"), eventId: z.string().min(1), event: pressed }),
]);

export type FeishuUserId = z.output<typeof userId>;
export type FeishuMention = z.output<typeof mention>;
export type FeishuMessage = z.output<typeof message>;
export type FeishuReceived = z.output<typeof received>;
export type FeishuRecalled = z.output<typeof recalled>;
export type FeishuPressed = z.output<typeof pressed>;

const header = z.object({ event_id: z.string().min(1), event_type: z.string(), token: z.string().optional() });
type Header = z.output<typeof header>;

/** What every call has: the handshake's and the older events' token stands at the top, others' in the header. */
const call = z.object({
  type: z.string().optional(),
  challenge: z.string().optional(),
  token: z.string().optional(),
  header: header.optional(),
  event: z.unknown().optional(),
});

export type FeishuEvent =
  | z.output<typeof knownEvent>
  /** Of a type that is of no interest. */
  | { type: "other"; reason: string };

/** A call as it was decrypted. */
export interface FeishuCall {
  /** The Verification Token that it shows. */
  token: string | undefined;
  content: { kind: "challenge"; challenge: string } | { kind: "event"; read(): FeishuEvent | { problem: string } };
}

/** Reads one call; undefined if it is none of Feishu's. */
export function readCall(json: unknown): FeishuCall | undefined {
  const read = call.safeParse(json).data;
  if (read === undefined) return undefined;
  const { type, challenge, header: about, event } = read;
  const token = about?.token ?? read.token;
  if (type === "url_verification" && challenge !== undefined)
    return { token, content: { kind: "challenge", challenge } };
  if (about === undefined && type !== "event_callback") return undefined;
  return { token, content: { kind: "event", read: () => readEvent(about, event) } };
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(knownEvent.options.map(({ shape }) => shape.type.value));

function readEvent(header: Header | undefined, event: unknown): FeishuEvent | { problem: string } {
  if (header === undefined) return { type: "other", reason: "an event of version 1.0: subscribe to those of 2.0" };
  const { event_id: eventId, event_type: type } = header;
  if (!KNOWN_TYPES.has(type)) return { type: "other", reason: `an event of the type ${type}` };
  const read = knownEvent.safeParse({ type, eventId, event });
  return read.success ? read.data : { problem: z.prettifyError(read.error) };
}
