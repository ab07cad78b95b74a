/** The line that stands for the cache boundary where a prompt is exported as one text; no model ever sees it. */
export const CACHE_BOUNDARY = "<!-- ISOPOD_CACHE_BOUNDARY -->";

const QUOTED = "<!-- ISOPOD_CACHE_BOUNDARY, as it stands in a text -->";

/** A text in which nothing looks like the boundary, whoever wrote it. */
export function withoutBoundary(text: string): string {
  return text.includes(CACHE_BOUNDARY) ? text.replaceAll(CACHE_BOUNDARY, QUOTED) : text;
}
