import type { ReadDocument } from "../extract/extract.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";

/** How long a conversion may take, in milliseconds. */
const MAX_MS = 30_000;

/** Reads documents with Workers AI; undefined without the binding. What it cannot convert is logged. */
export function documentReader(ai: Pick<Ai, "toMarkdown"> | undefined): ReadDocument | undefined {
  if (ai === undefined) return undefined;
  return async ({ bytes, mediaType, name }) => {
    try {
      const conversion = ai.toMarkdown({ name, blob: new Blob([bytes], { type: mediaType }) });
      if (!(await comesWithin(MAX_MS, conversion))) throw new Error(`It took more than ${MAX_MS} ms.`);
      const answer = await conversion;
      if (answer.format !== "error") return answer.data;
      throw new Error(answer.error);
    } catch (error) {
      log("warn", "document.not_converted", { mediaType, error: messageOf(error) });
      return undefined;
    }
  };
}
