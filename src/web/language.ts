import { textsFor } from "./texts.ts";

/** The page's language, by the browser's own list. */
export const { lang, texts } = textsFor(navigator.languages);
