import { z } from "zod";
import { head } from "../lib/text.ts";
import { localTime } from "../lib/zone.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { HookContext } from "./hook.ts";
import type { SessionResetEvent, SpokenMessage } from "./hook-map.ts";
import { definePlugin } from "./plugin.ts";

/** Most characters that a note keeps of one message. */
const MAX_MESSAGE_CHARS = 2000;
/** Most characters of the words in a note's name. */
const MAX_SLUG_CHARS = 40;
/** How much of a session's id a note's name has: enough that no other session of that day has it. */
const SHORT_ID_CHARS = 8;

const settings = z.strictObject({
  messages: z.number().int().min(1).max(100).default(15).describe("How many of the last messages a note keeps."),
});

/** Writes a note of a conversation into `memory/` when `/new` or `/reset` ends it. */
export const sessionMemory = definePlugin({
  name: "session-memory",
  summary: "Writes a dated memory note of the conversation that /new or /reset ends",
  settings,
  hooks: {
    "command:new": { run: remember },
    "command:reset": { run: remember },
  },
});

/** Nothing that was said makes no note. What is there already was written before a crash: it stays. */
async function remember(event: SessionResetEvent, context: HookContext<z.output<typeof settings>>): Promise<void> {
  const messages = event.messages(context.settings.messages);
  if (!messages.some(({ role }) => role === "user")) return;
  const zone = context.timezone ?? "UTC";
  try {
    await context.workspace.write(notePath(event, messages, zone), noteText(event, messages, zone, context), {
      kind: "new",
    });
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.code === "conflict")) throw error;
  }
}

/** `memory/2026-11-21-trip-to-lisbon-1a2b3c4d.md`: the same for the same conversation. */
export function notePath(
  { at, endedSessionId }: Pick<SessionResetEvent, "at" | "endedSessionId">,
  messages: readonly SpokenMessage[],
  zone: string,
): string {
  const said = messages.find(({ role }) => role === "user")?.text ?? "";
  const parts = [localTime(at, zone).slice(0, 10), slug(said), endedSessionId.slice(-SHORT_ID_CHARS)];
  return `memory/${parts.filter((part) => part !== "").join("-")}.md`;
}

/** The first words of a text as part of a file's name; letters of every script stay as they are. */
function slug(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const whole = words.join("-");
  const kept = head(whole, MAX_SLUG_CHARS);
  if (kept.length === whole.length || whole[kept.length] === "-") return kept;
  // A word that does not fit is left out, unless it is the only one.
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
  return `${[...facts, ...messages.flatMap((message) => ["", `**${speakerName(message)}:** ${shortened(message.text)}`])].join("\n")}\n`;
}

/** Others than owners are told apart: what they said is no wish of the user. */
function speakerName({ role, owner }: SpokenMessage): string {
  if (role === "assistant") return "assistant";
  return owner === false ? "someone else" : "user";
}

function shortened(text: string): string {
  const kept = head(text.trim(), MAX_MESSAGE_CHARS);
  return kept.length === text.trim().length ? kept : `${kept} […]`;
}
