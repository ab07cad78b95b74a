import { IsopodError } from "../../lib/errors.ts";
import { tail } from "../../lib/text.ts";
import { MAX_EXTRA_CONTEXT_CHARS, MAX_INPUT_CHARS } from "../../session-store/run-request.ts";

/** Most characters of earlier turns that are quoted to a session that does not know them; the latest count. */
const MAX_QUOTED_CHARS = 100_000;
/** Room for what is said around a quotation. */
const FRAME_CHARS = 500;

/** A conversation as a caller of OpenAI's API sends it. */
export interface Conversation {
  /** What the system or the developer says. */
  instructions: string[];
  turns: Turn[];
}

/** One thing that was said. */
export interface Turn {
  /** `tool` is the result of a tool of the caller's own. */
  role: "user" | "assistant" | "tool";
  name?: string;
  text: string;
  files: SentFile[];
}

/** A file in the body of a request. */
export interface SentFile {
  /** Where in the request it is. */
  param: string;
  /** `data:` URL. */
  url: string;
  name?: string;
}

/** What of a conversation is said to a session now. */
export interface Said {
  text: string;
  files: SentFile[];
  /** For the model of this run only. */
  extraContext?: string;
}

/**
 * What of a conversation a session is to be told: what comes after the last answer. A session that knows nothing of
 * the turns before is told them as a quotation.
 * @param param the field of the request that holds the conversation
 * @throws IsopodError `invalid_request` where nothing comes after the last answer, or too much
 */
export function saidNow({ instructions, turns }: Conversation, isKnown: boolean, param: string): Said {
  const answered = turns.findLastIndex(({ role }) => role === "assistant") + 1;
  const news = turns.slice(answered);
  const text = news.map((turn) => (turn.role === "user" ? turn.text : quoted({ ...turn, files: [] })));
  const files = news.flatMap((turn) => turn.files);
  if (text.every((part) => part.trim() === "") && files.length === 0) {
    const message = `${param}: nothing is said to the agent`;
    throw new IsopodError("invalid_request", message, "The last message has to be the user's.", { param });
  }
  const message = text.filter((part) => part !== "").join("\n\n");
  const deps = Math.min(MAX_INPUT_CHARS - message.length - FRAME_CHARS, MAX_QUOTED_CHARS);
  if (deps < 0) throw tooLong(param, message.length, MAX_INPUT_CHARS - FRAME_CHARS);
  const earlier = isKnown ? "" : quotedTurns(turns.slice(0, answered), deps);
  const asked = instructions.filter((part) => part.trim() !== "").join("\n\n");
  if (asked.length > MAX_EXTRA_CONTEXT_CHARS) throw tooLong(param, asked.length, MAX_EXTRA_CONTEXT_CHARS);
  return {
    text: `${earlier}${message}`,
    files,
    ...(asked !== "" && { extraContext: `${WHOSE_INSTRUCTIONS}\n\n${asked}` }),
  };
}

const WHOSE_INSTRUCTIONS = "The program through which this message came asks of every answer:";

/** Earlier turns as a text that says what they are; empty where there are none. */
function quotedTurns(turns: readonly Turn[], deps: number): string {
  if (turns.length === 0) return "";
  const lines = turns.map(quoted).join("\n\n");
  const kept = tail(lines, deps);
  const cut = kept.length < lines.length ? `[${lines.length - kept.length} characters were left out here.]\n` : "";
  return `[The conversation before this message:]\n\n${cut}${kept}\n\n[The message that is to be answered:]\n\n`;
}

function tooLong(param: string, chars: number, max: number): IsopodError {
  const message = `${param}: ${chars} characters are more than the ${max} that can be taken at once`;
  return new IsopodError("invalid_request", message, undefined, { param, reason: "string_above_max_length" });
}

const SPEAKERS = { user: "User", assistant: "You", tool: "Result of a tool" } as const;

function quoted({ role, name, text, files }: Turn): string {
  const who = name === undefined ? SPEAKERS[role] : `${SPEAKERS[role]} (${name})`;
  const attached = files.length === 0 ? "" : ` [${files.length === 1 ? "a file" : `${files.length} files`}]`;
  return `${who}:${attached} ${text}`;
}
