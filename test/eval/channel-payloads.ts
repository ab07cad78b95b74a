import type { InboundEvent, ReceiveResult } from "../../src/channels/channel.ts";
import type { Payload } from "./channels/channel-under-eval.ts";
import { CHANNELS_UNDER_EVAL } from "./channels/index.ts";
import { type Handled, handle, openContext } from "./channels/open.ts";

/** A payload with what has to come of it. */
export interface JudgedPayload extends Payload {
  expect: {
    kind: string;
    messages?: Record<string, unknown>[];
    answer_json?: unknown;
    may_ignore?: boolean;
    once_with?: string;
  };
  unsure?: boolean;
}

/** What came of a payload, in the form of the scorer. */
export interface PayloadDump {
  type: "payload";
  platform: string;
  name: string;
  status: number;
  kind: Handled["kind"] | "not run";
  answer: unknown;
  messages: Record<string, unknown>[];
}

/** A time at which none of the payloads is old: their signatures are made here. */
const NOW = 1_790_000_000_000;

/** Sends a payload through its channel. */
export async function dumpPayload(payload: Payload): Promise<PayloadDump> {
  const { platform, name } = payload;
  const head = { type: "payload", platform, name } as const;
  const under = CHANNELS_UNDER_EVAL.find((one) => one.platform === platform);
  if (under === undefined) return { ...head, status: 0, kind: "not run", answer: null, messages: [] };
  const context = openContext(under, under.forPayload(payload), {
    now: NOW,
    fetch: (request) => under.answer?.(request),
  });
  const url = `https://agent.example.com/channels/${under.channel.id}/default/webhook`;
  const byGateway = payload.transport === "gateway" || payload.transport === "email";
  const taken = byGateway ? await under.take?.(payload, context) : undefined;
  const { response, events, kind } =
    taken === undefined ? await handle(under, await under.send(payload, url), context) : asHandled(taken);
  const text = await response.text();
  return { ...head, status: response.status, kind, answer: parsed(text), messages: events.map(dumpEvent) };
}

function asHandled(result: ReceiveResult): Handled {
  if (result.kind === "refused") return { response: result.response, events: [], kind: "refused" };
  if (result.kind === "answered")
    return { response: result.response ?? new Response("{}"), events: [], kind: "answered" };
  return { response: new Response("{}"), events: result.events, kind: "messages" };
}

function dumpEvent(event: InboundEvent): Record<string, unknown> {
  if (event.kind === "receipt") return { kind: "status", id: event.externalId };
  const { kind, id, threadId } = event.conversation;
  const place = { conversationId: id, conversationKind: kind, threadId };
  if (event.kind === "deletion") return { id: event.messageId, dedupeId: event.dedupeId, ...place, deleted: true };
  return {
    id: event.messageId,
    dedupeId: event.dedupeId,
    senderId: event.sender.id,
    senderName: event.sender.name,
    ...place,
    text: event.text,
    mentionsBot: event.mentioned,
    replyToId: event.replyToId,
    quoted: event.quoted?.text,
    attachments: event.attachments.length,
    edited: event.edited === true,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Why what came of a payload is not what has to come of it; empty where it is. */
export function judgePayload(payload: JudgedPayload, dumps: readonly PayloadDump[]): string {
  const { expect } = payload;
  const find = (name: string) => dumps.find((dump) => dump.platform === payload.platform && dump.name === name);
  const got = find(payload.name);
  if (got === undefined || got.kind === "not run") return "no channel has this platform";
  if (got.status >= 500) return `status ${got.status}`;
  const said = spoken(got);
  const other = expect.once_with === undefined ? undefined : find(expect.once_with);
  if (other !== undefined) {
    const theirs = spoken(other);
    if (said.length === 0 && theirs.length === 0) return "lost in both of its forms";
    if (said.length > 0 && theirs.length > 0 && said[0]?.dedupeId !== theirs[0]?.dedupeId) return "answered twice";
  }
  switch (expect.kind) {
    case "answered":
      if (got.kind !== "answered") return `kind ${got.kind}`;
      return expect.answer_json === undefined || isSame(got.answer, expect.answer_json) ? "" : "another answer";
    case "ignored":
      return got.kind === "refused" ? "refused" : said.length > 0 ? "would start a run" : "";
    case "messages":
      if (expect.may_ignore && got.kind !== "refused" && said.length === 0) return "";
      return judgeMessages(expect.messages ?? [], said);
    default:
      return got.kind === "refused" && !expect.kind.includes("refused") ? "refused" : "";
  }
}

function spoken({ messages }: PayloadDump): Record<string, unknown>[] {
  return messages.filter(({ kind, deleted }) => kind === undefined && deleted !== true);
}

function judgeMessages(wanted: readonly Record<string, unknown>[], said: readonly Record<string, unknown>[]): string {
  if (said.length !== wanted.length) return `${said.length} messages`;
  for (const [n, fields] of wanted.entries()) {
    const message = said[n] ?? {};
    for (const [field, value] of Object.entries(fields)) {
      const have = message[field];
      const isQuotedInstead = field === "replyToId" && have === undefined && message.quoted !== undefined;
      const fits = field === "conversationKind" ? (value === "direct") === (have === "direct") : isFit(value, have);
      if (!fits && !isQuotedInstead) return `${field}: ${JSON.stringify(have)} for ${JSON.stringify(value)}`;
    }
  }
  return "";
}

/** Whether a value is the expected one, one of several, or a text that has and lacks parts. */
function isFit(wanted: unknown, have: unknown): boolean {
  if (typeof wanted === "object" && wanted !== null) {
    const { any, includes, excludes } = wanted as { any?: unknown[]; includes?: string[]; excludes?: string[] };
    if (any !== undefined) return any.some((one) => isFit(one, have));
    const text = folded(have);
    return (
      (includes ?? []).every((part) => text.includes(folded(part))) &&
      (excludes ?? []).every((part) => !text.includes(folded(part)))
    );
  }
  if (wanted === null) return folded(have) === "";
  if (typeof wanted === "boolean") return (have ?? false) === wanted;
  if (typeof wanted === "number") return (have ?? 0) === wanted;
  return folded(wanted) === folded(have);
}

function folded(value: unknown): string {
  return String(value ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
