import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OutboundPart, Target } from "../../src/channels/channel.ts";
import { boundedParts, MAX_PARTS } from "../../src/turn/output/bounded-parts.ts";
import type { ChannelUnderEval } from "./channels/channel-under-eval.ts";
import { openContext } from "./channels/open.ts";

/** One message of a reply: what it says in the platform's markup, and the body of the request that sends it. */
export interface FormattedPart {
  text: string;
  body: unknown;
}

/** What became of one text on one platform; `file` is what follows where there are more messages than a reply may have. */
export interface FormatDump {
  type: "format";
  platform: string;
  case: string;
  parts: FormattedPart[];
  file: { name: string; text: string } | null;
}

/** A text as a model writes it, and what has to be left of it. */
export interface FormatCase {
  name: string;
  markdown: string;
  /** Words that are there, in this order, white space aside. */
  keeps: string[];
  /** Words that are there exactly once. */
  once?: string[];
  /** What a platform must not show. */
  hides?: Record<string, string[]>;
  /** Compared without marks of markup. */
  loose?: boolean;
}

/** The limit of a platform's messages; null if there is none. */
export interface FormatLimit {
  limit?: number | null;
  unit: string;
}

/** Reads the texts and the limits by platform of a folder with `format/`. */
export async function formatCases(
  folder: string,
): Promise<{ cases: FormatCase[]; platforms: Record<string, FormatLimit> }> {
  const [lines, platforms] = await Promise.all(
    ["cases.jsonl", "platforms.json"].map((name) => readFile(join(folder, "format", name), "utf8")),
  );
  const cases = (lines ?? "").split("\n").filter((line) => line.trim() !== "");
  return { cases: cases.map((line) => JSON.parse(line)), platforms: JSON.parse(platforms ?? "{}") };
}

/** Writes a text through a channel: its parts as they would be sent, and the file with what is left over. */
export async function dumpFormat({ name, markdown }: FormatCase, under: ChannelUnderEval): Promise<FormatDump> {
  const { channel, platform } = under;
  const target: Target = {
    ...{ channel: channel.id, accountId: "default", kind: "direct", conversationId: "1" },
    ...under.sendTo,
  };
  const parts = boundedParts(
    channel.format(markdown).map((text) => ({ target, text })),
    { target, most: MAX_PARTS, plain: (text) => channel.plain?.(text) ?? text },
  );
  const last = parts.at(-1);
  const rest = last?.source?.kind === "rest" ? last : undefined;
  const said = rest === undefined ? parts : parts.slice(0, -1);
  return {
    ...{ type: "format", platform, case: name },
    parts: await Promise.all(said.map(async ({ text }) => ({ text, body: await bodyOf({ target, text }, under) }))),
    file: rest === undefined ? null : { name: "reply.txt", text: rest.text },
  };
}

/** The body of the last request that sends a part, which is not one of the channel's other requests, such as for a token. */
async function bodyOf(part: Pick<OutboundPart, "target" | "text">, under: ChannelUnderEval): Promise<unknown> {
  let body: unknown;
  const context = openContext(under, under.forSending(), {
    now: 1_790_000_000_000,
    fetch: async (request) => {
      const answer = under.answer?.(request.clone());
      if (answer !== undefined) return answer;
      body = bodyFields(await request.text());
      return Response.json({});
    },
  });
  const emails: EmailMessageBuilder[] = [];
  await under.channel.send(
    { ...part, deliveryId: "1" },
    { ...context, sendEmail: async (email) => ({ messageId: `<${emails.push(email)}@agent.example>` }) },
    AbortSignal.timeout(5_000),
  );
  return body ?? emails[0] ?? null;
}

function bodyFields(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

/** Why what became of a text is not what has to become of it; empty where it is. */
export function judgeFormat(text: FormatCase, dump: FormatDump, { limit, unit }: FormatLimit) {
  const most = limit ?? Number.POSITIVE_INFINITY;
  const shown = dump.parts.map((part) => (SHOWN[dump.platform] ?? String)(part.text));
  if (dump.parts.length === 0) return "nothing is sent";
  if (dump.parts.length > MAX_PARTS) return `${dump.parts.length} messages`;
  for (const [n, part] of dump.parts.entries()) {
    const says = shown[n] ?? "";
    const size = sizeOf(part, says, unit);
    if (size > most) return `message ${n + 1}: ${size} of ${most} ${unit}`;
    if (folded(says) === "") return `message ${n + 1} is blank`;
    if (!part.text.isWellFormed()) return `message ${n + 1} ends within a character`;
    const live = text.hides?.[dump.platform]?.find((word) => part.text.includes(word) || says.includes(word));
    if (live !== undefined) return `message ${n + 1} shows ${live}`;
  }
  const all = folded([...shown, dump.file?.text ?? ""].join("\n"));
  const once = text.once?.find((word) => all.split(word).length !== 2);
  if (once !== undefined) return `${once} is there ${all.split(once).length - 1} times`;
  let rest = unmarked(all);
  for (const word of text.keeps) {
    const at = rest.indexOf(unmarked(folded(word)));
    if (at === -1) return `${word} is lost or out of order`;
    rest = rest.slice(at + unmarked(folded(word)).length);
  }
  return "";
}

/** What a person sees of a message, where its markup counts for a limit or hides addresses. */
const SHOWN: Readonly<Record<string, (text: string) => string>> = {
  telegram: (text) => unescaped(text.replace(/<[^>]+>/g, "")),
  feishu: unescaped,
  dingtalk: unescaped,
  slack: (text) => unescaped(text.replace(/<(?:https?|mailto|tel):[^|>]*\|([^>]*)>/g, "$1")),
};

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ENTITIES[name] ?? "");
}

function sizeOf({ text, body }: FormattedPart, shown: string, unit: string): number {
  if (unit === "visible UTF-16") return shown.length;
  if (unit === "UTF-16") return text.length;
  if (unit === "UTF-16 bytes") return 2 * text.length;
  if (unit === "code points") return [...text].length;
  const measured = unit.startsWith("UTF-8 bytes of the request") ? JSON.stringify(body) : text;
  return new TextEncoder().encode(measured).length;
}

/** Without white space and characters of no width. */
function folded(text: string): string {
  return text.normalize("NFC").replace(/[\s\u00ad\u200b\u2028\u2029\u2060\ufeff]/gu, "");
}

function unmarked(text: string): string {
  return text.replace(/[*_~`\\|]/g, "");
}
