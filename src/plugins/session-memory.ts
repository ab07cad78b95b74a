import { z } from "zod";
import { head } from "../lib/text.ts";
import { localTime } from "../lib/zone.ts";
import { neutralizeText } from "../security/external-content.ts";
import { joinLabels } from "../security/labels.ts";
import { type FileLabels, lineHash } from "../workspace/file-labels.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { HookContext } from "./hook.ts";
import type { SessionResetEvent, SpokenMessage } from "./hook-map.ts";
import { definePlugin } from "./plugin.ts";

/** Most characters of one message in a note. */
const MAX_MESSAGE_CHARS = 2000;
/** Most characters of the slug in a note's name. */
const MAX_SLUG_CHARS = 40;
/** Characters of the session id in a note's name: enough to be unique within a day. */
const SHORT_ID_CHARS = 8;

const settings = z.strictObject({
  messages: z.number().int().min(1).max(100).default(15).describe("How many of the last messages a note keeps."),
});

/** Writes a note of the conversation that `/new` or `/reset` ends to `memory/`. */
export const sessionMemory = definePlugin({
  name: "session-memory",
  summary: "Writes a dated memory note of the conversation that /new or /reset ends",
  settings,
  hooks: {
    "command:new": { run: remember },
    "command:reset": { run: remember },
  },
});

/** A conversation without a user message gets no note. A conflict means that the note was written before a crash. */
async function remember(event: SessionResetEvent, context: HookContext<z.output<typeof settings>>): Promise<void> {
  const messages = event.messages(context.settings.messages);
  if (!messages.some(({ role }) => role === "user")) return;
  const zone = context.timezone ?? "UTC";
  try {
    const text = noteText(event, messages, zone, context);
    await context.workspace.write(notePath(event, messages, zone), text, { kind: "new" }, noteLabels(messages));
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.code === "conflict")) throw error;
  }
}

/** `memory/2026-11-21-trip-to-lisbon-1a2b3c4d.md`; deterministic per conversation. */
export function notePath(
  { at, endedSessionId }: Pick<SessionResetEvent, "at" | "endedSessionId">,
  messages: readonly SpokenMessage[],
  zone: string,
): string {
  const said = messages.find(({ role }) => role === "user")?.text ?? "";
  const parts = [localTime(at, zone).slice(0, 10), slug(said), endedSessionId.slice(-SHORT_ID_CHARS)];
  return `memory/${parts.filter((part) => part !== "").join("-")}.md`;
}

/** The first words of a text as part of a file name; letters of all scripts are kept. */
function slug(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const whole = words.join("-");
  const kept = head(whole, MAX_SLUG_CHARS);
  if (kept.length === whole.length || whole[kept.length] === "-") return kept;
  // A partial word is dropped, unless it is the only one.
  const end = kept.lastIndexOf("-");
  return end === -1 ? kept : kept.slice(0, end);
}

function noteText(
  { at, endedSessionId, source }: SessionResetEvent,
  messages: readonly SpokenMessage[],
  zone: string,
  { sessionKey }: Pick<HookContext, "sessionKey">,
): string {
  const facts = [
    `# Session of ${localTime(at, zone)} (${zone})`,
    "",
    `- Session key: ${sessionKey}`,
    `- Session id: ${endedSessionId}`,
    `- Ended from: ${source}`,
    "",
    "## Last messages",
  ];
  return `${[...facts, ...messages.flatMap((message) => ["", `**${speakerName(message)}:**`, quotedText(message)])].join("\n")}\n`;
}

/** Marks messages of others than owners: they are not the user's wishes. */
function speakerName({ role, owner }: SpokenMessage): string {
  if (role === "assistant") return "assistant";
  return owner === false ? "someone else" : "user";
}

/** The labels of a note: those of the lines that are not the owner's words, or were made from others'. */
function noteLabels(messages: readonly SpokenMessage[]): FileLabels | undefined {
  const labelled = messages.filter(({ labels = [] }) => labels.length > 0);
  if (labelled.length === 0) return undefined;
  const lines = labelled.flatMap((message) => quotedText(message).split("\n"));
  return {
    labels: joinLabels(...labelled.map(({ labels }) => labels)),
    lines: new Set(lines.flatMap((line) => lineHash(line) ?? [])),
  };
}

/** The words of a message with a mark before each line: no line can look like another speaker's. */
function quotedText({ text }: SpokenMessage): string {
  return neutralizeText(shortened(text)).replace(/^/gm, "> ");
}

function shortened(text: string): string {
  const kept = head(text.trim(), MAX_MESSAGE_CHARS);
  return kept.length === text.trim().length ? kept : `${kept} […]`;
}
