import { createShell } from "../../src/shell/create-shell.ts";
import type { ShellDeps } from "../../src/shell/run-script.ts";
import type { ShellResult, ShellRun } from "../../src/shell/shell.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";

/** A shell over a new workspace with files in it. */
export async function shellOver(
  files: Record<string, string | Uint8Array> = {},
  given: Partial<ShellDeps> & { workspace?: Workspace } = {},
) {
  const workspace: Workspace = given.workspace ?? openWorkspace();
  for (const [path, content] of Object.entries(files)) await workspace.write(path, content, { kind: "any" });
  const deps: ShellDeps = {
    workspace,
    mounts: [],
    fetch: async () => Promise.reject(new Error("There is no network in this test.")),
    mask: { mask: (text) => text, holds: () => false },
    now: Date.now,
    ...given,
  };
  const shell = createShell(deps);
  const signal = new AbortController().signal;
  const run = async (script: string, options: Partial<ShellRun> = {}): Promise<ShellResult> => {
    const { stackTraceLimit } = Error;
    // The test runner looks each line of a stack up in the source, and just-bash makes errors that nobody sees.
    Error.stackTraceLimit = 0;
    try {
      return await shell.run(script, { timeoutMs: 20_000, signal, ...options });
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
  const textOf = async (path: string) => new TextDecoder().decode((await workspace.read(path)).bytes);
  const paths = async () => (await workspace.walk("")).map(({ path }) => path);
  return { workspace, run, textOf, paths };
}
