import { RE2JS } from "re2js";

const MAX_GLOB_CHARS = 400;

/**
 * Whether a path is what a glob names, in any case: `*` and `?` within a segment, `**` across segments, `[abc]`, `[!abc]`
 * and `{a,b}`. A glob without `/` is matched with the last segment alone. It is compiled for RE2, whose time grows with
 * the path's length and no faster, whatever somebody writes.
 * @throws Error where it is no glob
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob === "" || glob.length > MAX_GLOB_CHARS) throw new Error(`A glob has 1 to ${MAX_GLOB_CHARS} characters.`);
  const relative = glob.replace(/^(?:\.?\/)+/, "");
  const regex = compile(relative, glob);
  const byName = !relative.includes("/");
  return (path) => regex.testExact(byName ? path.slice(path.lastIndexOf("/") + 1) : path);
}

/** The parts of a glob, the longer ones first. */
const PART = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|[{},]|[\s\S]/gu;

function compile(relative: string, glob: string): RE2JS {
  let depth = 0;
  const source = (relative.match(PART) ?? []).map((part) => {
    if (part === "{") depth++;
    if (part === "," && depth > 0) return "|";
    if (part === "}" && depth > 0) {
      depth--;
      return ")";
    }
    return SPECIAL[part] ?? (part.length > 2 && part.startsWith("[") ? characterClass(part) : RE2JS.quote(part));
  });
  if (depth > 0) throw new Error(`\`${glob}\` is no glob: a { is not closed.`);
  return RE2JS.compile(source.join(""), RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
}

const SPECIAL: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
};

/** `[!abc]` as a class of RE2. */
function characterClass(part: string): string {
  const isNegated = part.startsWith("[!");
  const members = part.slice(isNegated ? 2 : 1, -1).replace(/[\\^[\]]/g, "\\$&");
  return isNegated ? `[^/${members}]` : `[${members}]`;
}
