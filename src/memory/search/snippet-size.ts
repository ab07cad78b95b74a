/** Most characters of a snippet. */
export const SNIPPET_SIZE = 700;
/** Characters of East Asia say more each: so many of them are a whole snippet. */
const WIDE_SNIPPET_CHARS = 330;
const WIDE = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60]/g;

/** How much of a snippet a text takes. */
export function snippetSize(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return text.length + wide * (SNIPPET_SIZE / WIDE_SNIPPET_CHARS - 1);
}
