/** What an agent answers when it has nothing to say; channels never send it either. */
const TOKEN = "NO_REPLY";
/** What may stand around it without saying anything. */
const AROUND = "[\\s*_~`>\"'.!。！]*";

const ONLY_TOKEN = new RegExp(`^${AROUND}${TOKEN}${AROUND}$`);
const BEFORE_TOKEN = new RegExp(`^${AROUND}`);

/** Whether a reply says that there is nothing to say. */
export function isSilence(text: string): boolean {
  return ONLY_TOKEN.test(text);
}

/** Whether the beginning of a reply may still turn out to say only that. */
export function mayBeSilence(beginning: string): boolean {
  return isSilence(beginning) || TOKEN.startsWith(beginning.replace(BEFORE_TOKEN, ""));
}
