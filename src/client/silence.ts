/** The reply of an agent that has nothing to say; channels do not send it either. */
const TOKEN = "NO_REPLY";
/** Punctuation and markup that may surround it. */
const AROUND = "[\\s*_~`>\"'.!。！]*";

const ONLY_TOKEN = new RegExp(`^${AROUND}${TOKEN}${AROUND}$`);
const BEFORE_TOKEN = new RegExp(`^${AROUND}`);

/** Whether a reply is only the silent token. */
export function isSilence(text: string): boolean {
  return ONLY_TOKEN.test(text);
}

/** Whether a reply that begins like this may still become only the silent token. */
export function mayBeSilence(beginning: string): boolean {
  return isSilence(beginning) || TOKEN.startsWith(beginning.replace(BEFORE_TOKEN, ""));
}
