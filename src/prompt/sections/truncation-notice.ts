import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/**
 * Which workspace files are in the prompt only in part. It stands below the cache boundary because `once` takes it
 * away after the first turn, which must not change the cached prefix.
 */
export const truncationNotice: Section = {
  name: "truncation-notice",
  modes: ["full", "minimal"],
  render(input) {
    const cut = input.bootstrapFiles.filter((file) => file.truncated);
    const due = input.truncationWarning === "always" || (input.truncationWarning === "once" && !input.truncationWarned);
    if (cut.length === 0 || !due) return undefined;
    const { closed = false } = input.workspace;
    return lines(
      "## Truncated Workspace Files",
      `These files are complete in the workspace, but Project Context has only part of them.${closed ? "" : " Read the rest where it matters."}`,
      ...cut.map((file) => `- ${file.path}: ${file.injectedChars} of ${file.rawChars} characters`),
      !closed &&
        cut.some((file) => file.path.toLowerCase() === "memory.md") &&
        "Offer to distil the memory file into a short summary, with the details moved to memory/*.md.",
    );
  },
};
