import { stripSilentToken } from "../../agent/silent-token.ts";
import { plainOfMarkdown } from "../../channels/markup/plain-platforms.ts";
import { messageOf } from "../../lib/errors.ts";
import { type AssistantMessage, isForPeople, messageText, type UserMessage } from "../../models/message.ts";
import type { RunResult } from "../../session-store/run-result.ts";
import type { SpeechPort } from "../../tools/tts.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnContext } from "../turn-context.ts";
import { keepMedia } from "../turn-media.ts";
import { attach } from "./files.ts";

/** Fewest characters that are read aloud unless the reply asks for it. */
const MIN_CHARS = 10;

/** What reading a reply aloud depends on. */
export interface SpeechDeps {
  speech: SpeechPort | undefined;
  workspace: Pick<Workspace, "write" | "stat">;
  isPrivate: boolean;
}

/**
 * Adds the reply as a voice note, where `messages.tts.auto` or the reply says so and the channel takes files. It follows
 * the text. A failure is told in a text of its own; a reply that is too long for its mode stays text.
 */
export async function withSpeech(
  result: RunResult,
  run: ActiveRun,
  context: Pick<TurnContext, "services" | "origin">,
  { speech, workspace, isPrivate }: SpeechDeps,
): Promise<RunResult> {
  const { message, status } = result;
  if (status !== "ok" || message === undefined || isPrivate || speech === undefined) return result;
  if (!takesFiles(run.row.target, context.services) || result.files?.some(({ asVoice }) => asVoice)) return result;
  const asked = message.directives?.speech;
  const text = spokenText(message);
  if (!isWanted(text, message, run, context)) return result;
  try {
    if (text.length > speech.maxChars) {
      if (asked === undefined) return result;
      throw new Error(`it has ${text.length} characters, and messages.tts.maxTextLength is ${speech.maxChars}.`);
    }
    const { bytes, mediaType, usage } = await speech.speak({ text, voice: asked?.voice }, run.signal);
    const path = await keepMedia(workspace, "speech", bytes, mediaType);
    const { files } = await attach([{ path, asVoice: true }], workspace);
    return { ...result, files: [...(result.files ?? []), ...files], spent: usage };
  } catch (error) {
    if (run.signal.aborted) return result;
    return { ...result, texts: [...result.texts, `⚠️ The reply was not read aloud: ${messageOf(error)}`] };
  }
}

/** How to write replies that are read aloud: the configured words, else those of the mode; undefined if none is. */
export function voiceHint({ services, target }: Pick<TurnContext, "services" | "target">): string | undefined {
  const { auto, hint, maxTextLength } = services.config.messages.tts;
  if (hint !== undefined) return hint;
  const { models } = services.media.speakers;
  if (auto === "off" || models.length === 0 || !takesFiles(target, services)) return undefined;
  return `${HINTS[auto]} ${SPOKEN_WORDS} At most ${maxTextLength} characters are spoken.`;
}

const HINTS = {
  always: "Every reply is also read aloud as a voice note: write it for the ear, without tables, code and addresses.",
  inbound:
    "A reply to a voice note is also read aloud as one: write it for the ear, without tables, code and addresses.",
  tagged:
    "A reply with [[tts]] in it is also read aloud as a voice note. Use it where people want to hear you, not as a rule.",
};
const SPOKEN_WORDS = "Words between [[tts:text]] and [[/tts:text]] are spoken in place of the text, and not shown.";

function takesFiles(target: TurnContext["target"], services: TurnContext["services"]): boolean {
  return target !== null && services.channel(target.channel, target.accountId).channel.sendFile !== undefined;
}

/** What is said: what the reply says for the ear alone, else its text without markup. */
function spokenText(message: AssistantMessage): string {
  return (message.directives?.speech?.text ?? plainOfMarkdown(stripSilentToken(messageText(message)))).trim();
}

function isWanted(
  text: string,
  { directives }: AssistantMessage,
  run: ActiveRun,
  { services, origin }: Pick<TurnContext, "services" | "origin">,
): boolean {
  const { auto } = services.config.messages.tts;
  if (auto === "off" || text === "") return false;
  if (directives?.speech !== undefined) return true;
  // What a run in the background says may be nothing, which is judged later.
  if (auto === "tagged" || !origin.isAttended || text.length < MIN_CHARS) return false;
  return auto === "always" || lastWords(run)?.isSpoken === true;
}

/** The last message that the run answers. */
function lastWords({ journal }: ActiveRun): UserMessage | undefined {
  const last = journal.context().findLast((message) => message.role === "user" && isForPeople(message));
  return last?.role === "user" ? last : undefined;
}
