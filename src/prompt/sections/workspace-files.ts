import type { StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** Says that workspace files are already in the prompt, and which have problems. */
export const workspaceFiles: Section<StableInput> = {
  name: "workspace-files",
  modes: ["full", "minimal"],
  render(input) {
    if (input.bootstrapFiles.length === 0) return undefined;
    const { fileWarnings = [], workspace } = input;
    if (workspace.closed) return CLOSED;
    return joinLines(
      WORKSPACE_FILES,
      fileWarnings.length > 0 && "Something is wrong with them; tell the user, and mend it where you can:",
      ...fileWarnings.map((warning) => `- ${warning}`),
      input.bootstrapFiles.some(({ path }) => path.toLowerCase() === "bootstrap.md") && FIRST_CONVERSATION,
    );
  },
};

const WORKSPACE_FILES = `## Workspace Files (injected)
The files under Project Context are from the workspace; the user can edit them. They are loaded already: read one again only when it was cut or may have changed since.`;

const CLOSED = `## Workspace Files (injected)
The files under Project Context are from the workspace. They are loaded already.`;

const FIRST_CONVERSATION =
  "BOOTSTRAP.md is there because this workspace is new: follow it before anything else. Once all of it is done, delete it or write it empty: that ends the first conversation for good.";

/** The bootstrap files, each under its path, and the persona rule if there is a SOUL.md. */
export const projectContext: Section<StableInput> = {
  name: "project-context",
  modes: ["full", "minimal"],
  render(input) {
    if (input.bootstrapFiles.length === 0) return undefined;
    const hasSoul = input.bootstrapFiles.some((file) => !file.missing && isSoul(file.path));
    const heading = joinLines(
      "# Project Context",
      "The following project context files have been loaded:",
      hasSoul &&
        "If SOUL.md is present, embody its persona and tone. Avoid stiff, generic replies; follow its guidance unless higher-priority instructions override it.",
    );
    return [heading, ...input.bootstrapFiles.map((file) => `## ${file.path}\n${file.content}`)].join("\n\n");
  },
};

function isSoul(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase() === "soul.md";
}

/**
 * The workspace files that were truncated. It is below the cache boundary because `once` removes it after the first
 * turn, which must not change the cached prefix.
 */
export const truncationNotice: Section = {
  name: "truncation-notice",
  modes: ["full", "minimal"],
  render(input) {
    const cut = input.bootstrapFiles.filter((file) => file.truncated);
    const due = input.truncationWarning === "always" || (input.truncationWarning === "once" && !input.truncationWarned);
    if (cut.length === 0 || !due) return undefined;
    const { closed = false } = input.workspace;
    return joinLines(
      "## Truncated Workspace Files",
      `These files are complete in the workspace, but Project Context has only part of them.${closed ? "" : " Read the rest where it matters."}`,
      ...cut.map((file) => `- ${file.path}: ${file.injectedChars} of ${file.rawChars} characters`),
      !closed &&
        cut.some((file) => file.path.toLowerCase() === "memory.md") &&
        "Offer to distil the memory file into a short summary, with the details moved to memory/*.md.",
    );
  },
};

/** The most important sections of a truncated AGENTS.md, after a compaction. */
export const agentsRefresh: Section = {
  name: "agents-refresh",
  modes: ["full", "minimal"],
  render({ agentsRefresh: sections }) {
    if (sections === undefined) return undefined;
    return `## AGENTS.md, Again\nEarlier messages were summarized. These rules of AGENTS.md still hold; carry out its startup steps anew where they matter now.\n\n${sections}`;
  },
};
