/** The reply of a model that has nothing to say. People never see it. */
export const SILENT_REPLY = "NO_REPLY";

/** What may surround the token: white space, Markdown marks, quotes, punctuation. */
const AROUND = "[\\s*_~`>\"'“”‘’「」『』()（）.,:;!?…。，、：；！？-]*";
const INLINE = AROUND.replace("\\s", " \\t");

const ONLY_TOKEN = new RegExp(`^${AROUND}(?:${SILENT_REPLY}${AROUND})+$`, "u");
const BEFORE_TOKEN = new RegExp(`^${AROUND}`, "u");
const ENDS_WITH_TOKEN = new RegExp(`${SILENT_REPLY}${AROUND}$`, "u");

const ALONE = new RegExp(`^${INLINE}${SILENT_REPLY}${INLINE}$`, "u");
/** The bare token beside other words; in quotes or code it is mentioned, not used. */
const FIRST_WORD = new RegExp(`^${SILENT_REPLY}[.,:;!。，：；！]*\\s`, "u");
const LAST_WORD = new RegExp(`(?<![\\w*~\`"'“‘「『(（-])${SILENT_REPLY}[.!。！]*$`, "u");

/** Whether a text is the token alone, with or without markup. */
export function isSilent(text: string): boolean {
  return ONLY_TOKEN.test(text);
}

/** Whether the beginning of a text may become the token. */
export function mayBeSilent(beginning: string): boolean {
  return isSilent(beginning) || SILENT_REPLY.startsWith(beginning.replace(BEFORE_TOKEN, ""));
}

/** Whether a text ends with the token, which stays only if more text follows. */
export function endsWithToken(text: string): boolean {
  return ENDS_WITH_TOKEN.test(text);
}

/** A text without a leading token on a line of its own or as a bare word. */
export function withoutTokenBefore(text: string): string {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("\n");
  if (end !== -1 && ALONE.test(trimmed.slice(0, end))) return trimmed.slice(end + 1);
  return FIRST_WORD.test(trimmed) ? trimmed.replace(FIRST_WORD, "") : text;
}

/** A text without a trailing token on a line of its own or as a bare word. */
export function withoutTokenAfter(text: string): string {
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  if (start > 0 && ALONE.test(trimmed.slice(start))) return trimmed.slice(0, start);
  return LAST_WORD.test(trimmed) ? trimmed.replace(LAST_WORD, "") : text;
}

/** The text to show: empty if it is the token, and without a leading or trailing one. */
export function stripSilentToken(text: string): string {
  return isSilent(text) ? "" : withoutTokenAfter(withoutTokenBefore(text)).trim();
}
