import type { StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** That the files of the workspace's root which matter now are already in the prompt, and what is wrong with some. */
export const workspaceFiles: Section<StableInput> = {
  name: "workspace-files",
  modes: ["full", "minimal"],
  render(input) {
    if (input.bootstrapFiles.length === 0) return undefined;
    const { fileWarnings = [], workspace } = input;
    if (workspace.closed) return CLOSED;
    return lines(
      TEXT,
      fileWarnings.length > 0 && "Something is wrong with them; tell the user, and mend it where you can:",
      ...fileWarnings.map((warning) => `- ${warning}`),
      input.bootstrapFiles.some(({ path }) => path.toLowerCase() === "bootstrap.md") && FIRST_CONVERSATION,
    );
  },
};

const TEXT = `## Workspace Files (injected)
The files under Project Context are from the workspace; the user can edit them. They are loaded already: read one again only when it was cut or may have changed since.`;

const CLOSED = `## Workspace Files (injected)
The files under Project Context are from the workspace. They are loaded already.`;

const FIRST_CONVERSATION =
  "BOOTSTRAP.md is there because this workspace is new: follow it before anything else. Once all of it is done, delete it or write it empty: that ends the first conversation for good.";
