import { betweenCharacters, head, wholeHead } from "../lib/text.ts";
import { localTime } from "../lib/zone.ts";
import type { Message } from "../models/message.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { spokenMessage } from "./transcript.ts";

/** Most characters of a line, but for who spoke and when; a longer one becomes several. */
const MAX_LINE_CHARS = 600;
/** Characters of a message that are remembered: what is longer was pasted rather than said. */
const MAX_MESSAGE_CHARS = 16_000;
const MAX_NAME_CHARS = 60;

/** Where a sentence ends within a line. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？；]["”’」』）]*/gu;

/**
 * A message as lines of memory: `[2026-11-22 14:03] User: …`, and below it the rest of what was said, without empty lines.
 * None for what nobody said aloud. The same message in the same zone gives the same lines.
 * @param zone whose clocks tell when it was
 */
export function transcriptLines(message: Message, zone: string): string[] {
  const said = spokenMessage(message);
  if (said === undefined) return [];
  const shown = head(said.text, MAX_MESSAGE_CHARS);
  const [first, ...rest] = shown
    .split(/\r\n?|[\n\u2028\u2029]/)
    .flatMap(brokenUp)
    .filter((line) => line.trim() !== "");
  if (first === undefined) return [];
  const left = said.text.length - shown.length;
  return [
    `[${localTime(said.at, zone)}] ${speakerOf(message)}: ${first}`,
    ...rest,
    ...(left > 0 ? [`[${left} more characters are in the transcript.]`] : []),
  ];
}

/** Who said it; owners are users, and who else speaks is a guest, whatever the name is. */
function speakerOf(message: Message): string {
  if (message.role !== "user") return "Assistant";
  const { owner, name = "" } = message.sender ?? { owner: true };
  const shown = wholeHead(sanitizeForPrompt(name).replaceAll(":", " ").trim(), MAX_NAME_CHARS);
  return `${owner ? "User" : "Guest"}${shown === "" ? "" : ` ${shown}`}`;
}

function brokenUp(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE_CHARS) {
    const end = breakIn(rest);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest.trimEnd()];
}

/** Where a long line is broken: after its last sentence that fits, else after a word, in the second half of what fits. */
function breakIn(line: string): number {
  const fitting = line.slice(0, MAX_LINE_CHARS);
  const ends = [...fitting.matchAll(SENTENCE_END)].map(({ index, 0: mark }) => index + mark.length);
  const least = MAX_LINE_CHARS / 2;
  const end = [ends.at(-1) ?? 0, fitting.lastIndexOf(" ") + 1].find((place) => place > least);
  return end ?? betweenCharacters(line, MAX_LINE_CHARS);
}
