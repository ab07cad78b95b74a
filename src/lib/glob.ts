import { RE2JS } from "re2js";

const MAX_GLOB_CHARS = 400;

/**
 * A case-insensitive matcher for a glob: `*` and `?` within a segment, `**` across segments, `[abc]`, `[!abc]` and
 * `{a,b}`. A glob without `/` matches the last segment alone. Compiled for RE2, so that time is linear in the path's
 * length for any glob.
 * @throws Error for an invalid glob
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob === "" || glob.length > MAX_GLOB_CHARS) throw new Error(`A glob has 1 to ${MAX_GLOB_CHARS} characters.`);
  const relative = glob.replace(/^(?:\.?\/)+/, "");
  const regex = compile(relative, glob);
  const byName = !relative.includes("/");
  return (path) => regex.testExact(byName ? path.slice(path.lastIndexOf("/") + 1) : path);
}

/** The tokens of a glob, longer ones first. */
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

/** `[!abc]` as an RE2 character class. */
function characterClass(part: string): string {
  const isNegated = part.startsWith("[!");
  const members = part.slice(isNegated ? 2 : 1, -1).replace(/[\\^[\]]/g, "\\$&");
  return isNegated ? `[^/${members}]` : `[${members}]`;
}
