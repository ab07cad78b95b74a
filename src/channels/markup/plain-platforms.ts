import { DRAWN, readMarkdown } from "../markdown.ts";
import { withoutInvisible } from "./invisible.ts";
import { UNLIMITED, utf16Units } from "./limit.ts";
import type { Markup } from "./markup.ts";
import type { Syntax } from "./syntax.ts";
import { writeRuns } from "./write.ts";

const PLAIN: Syntax = {
  inTags: false,
  signs: () => undefined,
  signRule: "none",
  marksInLinks: false,
  heading: () => "",
  text: (text) => text,
  code: (text) => text,
  quote: "> ",
  lineBreak: "\n",
  commonMarkLists: false,
};

/** Platforms of text alone, mostly in a font without fixed width. */
const plainMarkup: Omit<Markup, "limit"> = {
  shows: { ...DRAWN, tables: "lines" },
  syntax: PLAIN,
  plain: withoutInvisible,
};

/** LINE. @see https://developers.line.biz/en/reference/messaging-api/#text-message */
export const lineMarkup: Markup = { ...plainMarkup, limit: utf16Units(5_000) };

/** SMS over Twilio. */
export const smsMarkup: Markup = { ...plainMarkup, limit: utf16Units(1_600) };

/** The text of an email, which is read in a font of fixed width. */
export const emailMarkup: Markup = { ...plainMarkup, shows: DRAWN, limit: UNLIMITED };

/** The plain text of Markdown. */
export function plainOfMarkdown(markdown: string): string {
  return withoutInvisible(writeRuns(readMarkdown(markdown, plainMarkup.shows), PLAIN));
}
