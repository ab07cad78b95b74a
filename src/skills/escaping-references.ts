import { head } from "../lib/text.ts";

/** Link targets in Markdown and HTML, and paths that start with `{baseDir}`. */
const TARGETS = [
  /\]\(\s*<?([^()\s<>]+)/g,
  /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)/gm,
  /\b(?:href|src)\s*=\s*["']?([^"'\s<>]+)/gi,
  /(\{baseDir\}[^\s"'`()<>|;&,]*)/g,
];

const MOST = 20;
const MAX_SHOWN_CHARS = 200;

/**
 * The references of a SKILL.md that leave its folder, as written: relative links and paths after `{baseDir}` with more
 * `..` than folders. Links to other sites and to anchors are ignored. At most 20, without duplicates.
 */
export function escapingReferences(text: string): string[] {
  const found = new Set<string>();
  for (const target of TARGETS) {
    for (const [, path = ""] of text.matchAll(target)) {
      if (found.size === MOST) return [...found];
      if (leaves(path)) found.add(head(path, MAX_SHOWN_CHARS));
    }
  }
  return [...found];
}

function leaves(reference: string): boolean {
  const path = decoded(reference.replace(/^\{baseDir\}/, ".").replace(/[?#].*$/s, "")).replaceAll("\\", "/");
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith("/")) return false;
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** Decodes the escapes that affect where a path leads. */
function decoded(path: string): string {
  return path.replace(/%2e/gi, ".").replace(/%2f/gi, "/").replace(/%5c/gi, "/");
}
