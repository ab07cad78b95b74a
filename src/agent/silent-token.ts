/** What a model answers when nothing is to be said. People never see it. */
export const SILENT_REPLY = "NO_REPLY";

/** What may stand around the token without saying anything: white space, Markdown's marks, quotes, stops. */
const AROUND = "[\\s*_~`>\"'“”‘’「」『』()（）.,:;!?…。，、：；！？-]*";
const INLINE = AROUND.replace("\\s", " \\t");

const ONLY_TOKEN = new RegExp(`^${AROUND}(?:${SILENT_REPLY}${AROUND})+$`, "u");
const BEFORE_TOKEN = new RegExp(`^${AROUND}`, "u");
const ENDS_WITH_TOKEN = new RegExp(`${SILENT_REPLY}${AROUND}$`, "u");

const ALONE = new RegExp(`^${INLINE}${SILENT_REPLY}${INLINE}$`, "u");
/** Bare, in the line of other words: in quotes or in code it is spoken of. */
const FIRST_WORD = new RegExp(`^${SILENT_REPLY}[.,:;!。，：；！]*\\s`, "u");
const LAST_WORD = new RegExp(`(?<![\\w*~\`"'“‘「『(（-])${SILENT_REPLY}[.!。！]*$`, "u");

/** Whether a text is the token and nothing else, however it is marked up. */
export function isSilent(text: string): boolean {
  return ONLY_TOKEN.test(text);
}

/** Whether the beginning of a text may still turn out to be the token. */
export function mayBeSilent(beginning: string): boolean {
  return isSilent(beginning) || SILENT_REPLY.startsWith(beginning.replace(BEFORE_TOKEN, ""));
}

/** Whether a text ends with the token, which is said only if more comes after it. */
export function endsWithToken(text: string): boolean {
  return ENDS_WITH_TOKEN.test(text);
}

/** A text without a token that was left standing before it, on a line of its own or as a bare word. */
export function withoutTokenBefore(text: string): string {
  const said = text.trimStart();
  const end = said.indexOf("\n");
  if (end !== -1 && ALONE.test(said.slice(0, end))) return said.slice(end + 1);
  return FIRST_WORD.test(said) ? said.replace(FIRST_WORD, "") : text;
}

/** A text without a token that was left standing after it, on a line of its own or as a bare word. */
export function withoutTokenAfter(text: string): string {
  const said = text.trimEnd();
  const start = said.lastIndexOf("\n") + 1;
  if (start > 0 && ALONE.test(said.slice(start))) return said.slice(0, start);
  return LAST_WORD.test(said) ? said.replace(LAST_WORD, "") : text;
}

/** What is to be said of a text: empty where it is the token, and without one at its very start or end. */
export function stripSilentToken(text: string): string {
  return isSilent(text) ? "" : withoutTokenAfter(withoutTokenBefore(text)).trim();
}
