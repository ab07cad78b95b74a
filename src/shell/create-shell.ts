import { SHELL_COMMANDS } from "./commands.ts";
import type { ShellDeps } from "./run-script.ts";
import type { Shell } from "./shell.ts";

/**
 * Creates a shell of just-bash over a workspace. Nothing is read until a script runs, and just-bash is not evaluated: it
 * is a third of all code, and most turns run no script.
 */
export function createShell(deps: ShellDeps): Shell {
  return {
    commands: SHELL_COMMANDS,
    async run(script, options) {
      const { runScript } = await import("./run-script.ts");
      return runScript(script, options, deps);
    },
  };
}
