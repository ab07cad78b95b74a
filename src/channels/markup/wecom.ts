import { DRAWN } from "../markdown.ts";
import { breakFences, splitCode, withoutTicks } from "./code.ts";
import { WORD_JOINER, withoutInvisible } from "./invisible.ts";
import { utf8Bytes } from "./limit.ts";
import { canLink, mapAroundUrls } from "./links.ts";
import { MARKDOWN, markdownSigns, shortFence } from "./markdown-platforms.ts";
import type { Markup } from "./markup.ts";

/**
 * Markdown messages of WeCom's applications: headings, bold, links, code in a line and quotes, and no way to escape: what
 * only looks like a sign is joined to a word. Code blocks have fences all the same, which newer clients show.
 * @see https://developer.work.weixin.qq.com/document/path/90236
 */
export const wecomMarkup: Markup = {
  shows: { ...DRAWN, headings: 6, canLink },
  syntax: {
    ...MARKDOWN,
    signs: (mark, text) => {
      const isShown = mark.kind === "bold" || mark.kind === "link" || (mark.kind === "code" && !text.includes("`"));
      return isShown ? markdownSigns(mark, text) : undefined;
    },
    fence: shortFence,
    text: (text, { atBlockStart }) => {
      return mapAroundUrls(text, (words, isFirst) => guard(words, atBlockStart && isFirst));
    },
    code: breakFences,
    commonMarkLists: false,
    massMention: /<(?=@)/g,
  },
  limit: utf8Bytes(2_048),
  plain,
};

function guard(text: string, atBlockStart: boolean): string {
  const guarded = text.replace(/\*\*+|`+|\](?=\()/g, `${WORD_JOINER}$&${WORD_JOINER}`);
  return atBlockStart && /^(?:#+\s|>)/.test(guarded) ? WORD_JOINER + guarded : guarded;
}

/** Without the signs that no word joiner has on both sides. */
function plain(part: string): string {
  const pieces = splitCode(part).map((piece, index) => {
    if (index % 2 === 1) return withoutTicks(piece);
    return piece
      .replace(/(?<!\u2060)\*\*|\*\*(?!\u2060)/g, "")
      .replace(/\[([^\]\n]*)\]\(https?:[^)\s]*\)/g, "$1")
      .replace(/^((?:> )*)#{1,6} /gm, "$1");
  });
  return withoutInvisible(pieces.join(""));
}
