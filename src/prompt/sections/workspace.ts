import { hasTool, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** Where files are, and which paths file tools and commands take. */
export const workspace: Section<StableInput> = {
  name: "workspace",
  modes: ["full", "minimal"],
  render: (input) =>
    lines(
      "## Workspace",
      `Working directory: ${input.workspace.dir}`,
      "It is the one place for your files unless you are told otherwise. File tools take paths relative to it, separated by /.",
      hasTool(input, "exec") && execPaths(input),
      ...input.workspace.notes,
    ),
};

function execPaths(input: StableInput): string {
  const division = "Read and change files with file tools; use `exec` to run commands.";
  return input.sandbox === undefined
    ? `${division} A command starts in this directory and sees the same files.`
    : `${division} Commands see the workspace at ${input.sandbox.dir} instead, so prefer relative paths: they mean the same to both.`;
}
