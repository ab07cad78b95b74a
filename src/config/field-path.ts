import { z } from "zod";

/** The path of a field as people write it, `agents.list[1].model`; the document itself is `(document)`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "(document)" : z.core.toDotPath(path);
}
