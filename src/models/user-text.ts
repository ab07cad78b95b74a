import { head } from "../lib/text.ts";
import { weekdayTime } from "../lib/zone.ts";
import { neutralizeText, wrapExternal } from "../security/external-content.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import type { Said, UserMessage } from "./message.ts";

/** Most characters of a name, an id, and a title in a header line. */
const MAX_NAME_CHARS = 48;
const MAX_ID_CHARS = 80;
const MAX_TITLE_CHARS = 120;

/** What models are shown of each message, rendered once: the same bytes in every turn. */
const rendered = new WeakMap<UserMessage, string>();

/**
 * A user message as models see it: one header line with the time and, unless an owner is alone with the agent, the
 * author, their role and the message's id; then the words. The words of people who are not owners are fenced where
 * others read along. Nobody's words can look like the system's or like a header.
 */
export function userText(message: UserMessage): string {
  if (message.said === undefined) return message.text;
  const known = rendered.get(message) ?? render(message, message.said);
  rendered.set(message, known);
  return known;
}

function render({ text, sender, wordsAt = 0 }: UserMessage, said: Said): string {
  const isOwner = sender?.owner === true;
  const [ours, words] = [text.slice(0, wordsAt), text.slice(wordsAt)];
  const isFenced = !isOwner && said.place !== "direct" && said.fenceId !== undefined && words !== "";
  const own = isFenced
    ? wrapExternal(harmless(words), { source: "channel_metadata", id: said.fenceId ?? "", isBrief: true })
    : harmless(words);
  return `${headerLine(said, { name: sender?.name, isOwner })}\n${ours}${own}`;
}

/** The header line of a message, such as `[Sun 2026-11-22 20:08 · Eve (telegram:3003) · not an owner · #612]`. */
function headerLine(said: Said, { name, isOwner }: { name: string | undefined; isOwner: boolean }): string {
  const time = weekdayTime(said.at, said.zone);
  if (isOwner && said.place === "direct") {
    return said.change === undefined ? `[${time}]` : `[${time} · ${CHANGES[said.change]} an earlier message]`;
  }
  const id = headerValue(said.as, MAX_ID_CHARS);
  const shown = name === undefined ? "" : headerValue(name, MAX_NAME_CHARS);
  const facts = [
    time,
    shown === "" ? id : `${shown} (${id})`,
    isOwner ? "owner" : "not an owner",
    ...(said.messageId === undefined ? [] : [messageFact(headerValue(said.messageId, MAX_ID_CHARS), said.change)]),
  ];
  return `[${facts.join(" · ")}]`;
}

const CHANGES = { edited: "edits", deleted: "deletes" } as const;

function messageFact(id: string, change: Said["change"]): string {
  return change === undefined ? `#${id}` : `${CHANGES[change]} #${id}`;
}

/** A value that can neither end the header nor add a field to it. */
function headerValue(value: string, max: number): string {
  const plain = neutralizeText(sanitizeForPrompt(value)).replace(/[[\]()<>{}·|]/g, " ");
  return head(plain.replace(/\s+/g, " ").trim(), max);
}

/** The title of a group as one bounded line. */
export function groupTitle(title: string): string {
  return headerValue(title, MAX_TITLE_CHARS);
}

/** A header line of ours, or one that pretends to be: a bracket, a weekday and a date. */
const HEADER_LIKE = /^(\s*)\[(?=\s*(?:sun|mon|tue|wed|thu|fri|sat)\w*[\s,]+\d{4}-\d{2}-\d{2})/gim;

/** Words that cannot be taken for the system's, or for a header line. */
function harmless(words: string): string {
  return neutralizeText(words).replace(HEADER_LIKE, "$1(");
}
