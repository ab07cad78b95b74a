import { hasTool, type SandboxFacts, type StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

const FILE_TOOLS = ["read", "write", "edit", "apply_patch", "grep", "find", "ls"];

/** Where files are, and which paths file tools and commands take. */
export const workspace: Section<StableInput> = {
  name: "workspace",
  modes: ["full", "minimal"],
  render(input) {
    const files = !input.workspace.closed && FILE_TOOLS.some((name) => hasTool(input, name));
    const exec = hasTool(input, "exec");
    return joinLines(
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

/** The sandbox in which commands run, and what is reachable from it. */
export const sandbox: Section<StableInput> = {
  name: "sandbox",
  modes: ["full", "minimal"],
  render(input) {
    if (input.sandbox === undefined) return undefined;
    const { dir, access, elevated, browser } = input.sandbox;
    return joinLines(
      "## Sandbox",
      `Commands run in a sandbox, and so do those of sub-agents. In it the workspace is at ${dir}${ACCESS[access]}.`,
      elevated
        ? "Elevated exec is available: outside the sandbox, only when the user asks for it."
        : "Elevated exec is not available: if something needs it, say so instead of trying.",
      browser && "A browser inside the sandbox is available.",
    );
  },
};

const ACCESS: Record<SandboxFacts["access"], string> = {
  none: ", a copy of its own",
  "read-only": ", read-only",
  "read-write": ", readable and writable",
};

/** The user's time zone, without the time: a clock here would change the cached prefix with every turn. */
export const dateTime: Section<StableInput> = {
  name: "date-time",
  modes: ["full", "minimal"],
  render: (input) =>
    joinLines(
      "## Current Date & Time",
      `Time zone: ${input.timezone}`,
      hasTool(input, "session_status") && "For the current time, run `session_status`.",
    ),
};

/** The date of the turn. It is below the cache boundary because it changes every day. */
export const today: Section = {
  name: "today",
  modes: ["full", "minimal"],
  render: (input) => `## Today\n${input.today}`,
};
