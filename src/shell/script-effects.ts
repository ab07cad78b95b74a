import { Bash } from "just-bash/browser";

/** What a script would run and reach, as far as its text tells. */
export interface ScriptEffects {
  /** The programs by name, sorted; undefined if a name is computed, or a program runs others that are not told. */
  programs: readonly string[] | undefined;
  /** The addresses that stand in it, each once. */
  urls: readonly string[];
  /** Whether a request of it may have a body, or a method other than GET and HEAD. */
  sendsBody: boolean;
}

/** Programs that run what their arguments say. */
const RUNNERS: ReadonlySet<string> = new Set(
  "eval source . bash sh xargs env timeout time nohup exec command builtin find sudo trap alias".split(" "),
);

const URL_IN_TEXT = /\bhttps?:\/\/[^\s"'`<>|;(){}\\]+/gi;
const BODY_FLAG =
  /(?:^|\s)(?:-d|-F|-T|--data(?:-\w+)?|--form(?:-\w+)?|--json|--upload-file|--post-data|--post-file|(?:-X|--request)\s*=?\s*["']?(?!GET|HEAD)\w+)/;

/** Reads a script without running it. A script that cannot be parsed has unknown programs. */
export function scriptEffects(script: string): ScriptEffects {
  const urls = [...new Set(Array.from(script.matchAll(URL_IN_TEXT), ([url]) => url.replace(/[.,]+$/, "")))];
  return { programs: programsIn(script), urls, sendsBody: BODY_FLAG.test(script) };
}

function programsIn(script: string): string[] | undefined {
  const found = new Set<string>();
  try {
    const { ast } = new Bash({ commands: [], defenseInDepth: false }).transform(script);
    return collect(ast, found) ? [...found].sort() : undefined;
  } catch {
    // A script that just-bash cannot parse fails when it runs, too.
    return undefined;
  }
}

/** Adds the programs below a node; false if one of them is not told. */
function collect(node: unknown, found: Set<string>): boolean {
  if (typeof node !== "object" || node === null) return true;
  if ("type" in node && node.type === "SimpleCommand" && "name" in node && node.name) {
    const name = literalText(node.name);
    if (name === undefined || RUNNERS.has(name)) return false;
    found.add(name);
  }
  return Object.values(node).every((inner) => collect(inner, found));
}

/** The text of a word without expansions; undefined if it has any. */
function literalText(word: unknown): string | undefined {
  if (typeof word !== "object" || word === null || !("parts" in word) || !Array.isArray(word.parts)) return undefined;
  let text = "";
  for (const part of word.parts) {
    if (typeof part !== "object" || part === null || !("type" in part)) return undefined;
    if ((part.type === "Literal" || part.type === "SingleQuoted") && "value" in part && typeof part.value === "string")
      text += part.value;
    else return undefined;
  }
  return text === "" ? undefined : text;
}
