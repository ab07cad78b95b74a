import type { Effect } from "../agent/tool.ts";
import { resolvePath } from "../workspace/paths.ts";
import { isPersistentPath } from "../workspace/persistent-paths.ts";

/** The effect of a write to a file that later turns obey; none for other files. @param shown what is written */
export function persistentWrite(typed: string, shown: string): readonly Effect[] {
  const path = plainPath(typed);
  return isPersistentPath(path) ? [{ kind: "persist", what: path, shown }] : [];
}

/** The path as the workspace resolves it; as it was typed if it is no path, and then the call fails. */
function plainPath(typed: string): string {
  try {
    return resolvePath(typed);
  } catch {
    return typed;
  }
}
