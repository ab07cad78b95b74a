import { hasTool, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

const FILE_TOOLS = ["read", "write", "edit", "apply_patch", "grep", "find", "ls"];

/** Where files are, and which paths file tools and commands take. */
export const workspace: Section<StableInput> = {
  name: "workspace",
  modes: ["full", "minimal"],
  render(input) {
    const files = !input.workspace.closed && FILE_TOOLS.some((name) => hasTool(input, name));
    const exec = hasTool(input, "exec");
    return lines(
      "## Workspace",
      `Working directory: ${input.workspace.dir}`,
      "It is the one place for your files unless you are told otherwise.",
      files && "File tools take paths relative to it, separated by /.",
      files && exec && "Read and change files with file tools; use `exec` to run commands.",
      exec && commandPaths(input),
      ...input.workspace.notes,
    );
  },
};

function commandPaths({ sandbox }: StableInput): string {
  return sandbox === undefined
    ? "A command starts in this directory and sees the same files."
    : `Commands see the workspace at ${sandbox.dir} instead, so prefer relative paths: they mean the same everywhere.`;
}
