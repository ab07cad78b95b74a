import { isSilent, stripSilentToken } from "./silent-token.ts";

/** The reply of a heartbeat that has found nothing to do. */
export const HEARTBEAT_OK = "HEARTBEAT_OK";

/** What a reply says beside the token. */
export interface HeartbeatReply {
  /** Whether there is anything that people are told. */
  deliver: boolean;
  text: string;
  /** Whether the token was taken off. */
  stripped: boolean;
}

/** `heartbeat`: a short rest is dropped as well. `message`: any other reply, whose words all stay. */
export type ReplyMode = "heartbeat" | "message";

/** At the end, the token may have up to four marks behind it. */
const LAST = new RegExp(`(?<!/)${HEARTBEAT_OK}([^\\w]{0,4})$`);
/** At the start, any text may follow, but `HEARTBEAT_OK_EXTRA` is another word. */
const FIRST = new RegExp(`^${HEARTBEAT_OK}(?!_)`);

/**
 * A reply without HEARTBEAT_OK at its start and its end; inside a text it is a word like any other.
 * @param ackMaxChars the longest rest that a heartbeat's reply may have beside the token, in UTF-16 units
 */
export function stripHeartbeatToken(reply: string, mode: ReplyMode, ackMaxChars: number): HeartbeatReply {
  const whole = reply.trim();
  if (whole === "") return { deliver: false, text: "", stripped: false };
  const plain = withoutToken(whole);
  // Markup around the token hides it, and is nothing to say either.
  const found = plain === undefined || plain === "" ? (withoutToken(withoutMarkup(whole)) ?? plain) : plain;
  if (found === undefined) return { deliver: true, text: whole, stripped: false };
  const text = found.replace(/\s+/g, " ").trim();
  const isAck = text === "" || (mode === "heartbeat" && text.length <= ackMaxChars);
  return isAck ? { deliver: false, text: "", stripped: true } : { deliver: true, text, stripped: true };
}

/** What of a heartbeat's reply is delivered. Files are, even beside the token. */
export function heartbeatReply(reply: string, files: number, ackMaxChars: number): Omit<HeartbeatReply, "stripped"> {
  const { deliver, text } = stripHeartbeatToken(stripSilentToken(reply), "heartbeat", ackMaxChars);
  const isQuiet = !deliver || isSilent(text.toUpperCase());
  return { deliver: !isQuiet || files > 0, text: isQuiet ? "" : stripSilentToken(text) };
}

/** A text without the tokens at its ends; undefined if there is none. */
function withoutToken(text: string): string | undefined {
  let rest = text;
  let found = false;
  for (;;) {
    if (FIRST.test(rest)) rest = rest.slice(HEARTBEAT_OK.length).trimStart();
    else if (LAST.test(rest)) rest = `${rest.slice(0, rest.lastIndexOf(HEARTBEAT_OK)).trimEnd()}${marksBehind(rest)}`;
    else return found ? rest : undefined;
    found = true;
  }
}

function marksBehind(text: string): string {
  return (LAST.exec(text)?.[1] ?? "").trim();
}

/** Without tags, hard spaces, and Markdown's marks at both ends. */
function withoutMarkup(text: string): string {
  return text
    .replace(/<[^>]*>/g, " ")
    .replace(/&nbsp;/gi, " ")
    .trim()
    .replace(/^[*`~_]+|[*`~_]+$/g, "")
    .trim();
}
