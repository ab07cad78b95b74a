import { head } from "../../lib/text.ts";
import { estimateTokens } from "../../lib/tokens.ts";

/** Providers count with vocabularies of their own; an estimate has to stay well below what they take. */
const MARGIN = 0.8;

/** A text that a model takes whole: its beginning, where it is longer than so many tokens. */
export function cutText(text: string, maxTokens: number): string {
  const most = maxTokens * MARGIN;
  let cut = text;
  // A character is rarely more than one token.
  while (cut.length > most) {
    const tokens = estimateTokens(cut);
    if (tokens <= most) break;
    cut = head(cut, Math.floor(Math.min(cut.length - 1, (cut.length * most) / tokens)));
  }
  return cut;
}
