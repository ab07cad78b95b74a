import { z } from "zod";

/** The path of a field as people write it, `agents.list[1].model`; the document itself is `(document)`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "(document)" : z.core.toDotPath(path);
}

const STEP = /\.?([^.[\]"]+)|\[(\d*|\*)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * The names on the way to a field, as people write it: `agents.list[0].model`, `agents.list[].model`,
 * `models["openai/gpt-5.1"].alias`. A step that stands for any entry is `*`. Undefined where it is no path.
 */
export function parseFieldPath(text: string): string[] | undefined {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [, name, index, quoted] = found;
    if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, "$1"));
    else steps.push(name ?? (index || "*"));
  }
  return steps;
}
