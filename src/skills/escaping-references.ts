import { head } from "../lib/text.ts";

/** What Markdown and HTML link to, and paths that begin at the skill's folder. */
const TARGETS = [
  /\]\(\s*<?([^()\s<>]+)/g,
  /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)/gm,
  /\b(?:href|src)\s*=\s*["']?([^"'\s<>]+)/gi,
  /(\{baseDir\}[^\s"'`()<>|;&,]*)/g,
];

const MOST = 20;
const MAX_SHOWN_CHARS = 200;

/**
 * The references of a SKILL.md that leave the folder it is in, as they are written: relative links with more `..` than folders, and
 * such paths after `{baseDir}`. Links to other sites and to places in the file itself stay. At most 20, each once.
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

/** The escapes that change where a path leads; the others may stay as they are. */
function decoded(path: string): string {
  return path.replace(/%2e/gi, ".").replace(/%2f/gi, "/").replace(/%5c/gi, "/");
}
