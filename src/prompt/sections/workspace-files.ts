import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** That the files of the workspace's root which matter now are already in the prompt. */
export const workspaceFiles: Section<StableInput> = {
  name: "workspace-files",
  modes: ["full", "minimal"],
  render: (input) => (input.bootstrapFiles.length === 0 ? undefined : TEXT),
};

const TEXT = `## Workspace Files (injected)
The files under Project Context are from the workspace; the user can edit them. They are loaded already: read one again only when it was cut or may have changed since.`;
