import { textsFor } from "./texts.ts";

/** The page's language, from the browser's list of languages. */
export const { lang, texts } = textsFor(navigator.languages);
