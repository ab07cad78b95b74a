import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { isShellVariable } from "../config/reserved-names.ts";
import type { Shell, ShellResult } from "../shell/shell.ts";
import { execQuestion } from "./exec-question.ts";
import { execResult } from "./exec-result.ts";
import type { ReadEtags } from "./read-etags.ts";

/** What commands are run with. */
export interface ExecPort {
  shell: Shell;
  /** Variables of the run, which a call cannot replace. */
  env: Readonly<Record<string, string>>;
  /** Whether an owner is asked about each command. */
  asks: boolean;
  /** Longest time of a command, in seconds. */
  timeoutSec: number;
  /** Eight random bytes as 16 hex digits, to fence off what other hosts said. */
  newFenceId(): string;
}

const parameters = z.strictObject({
  command: z.string().min(1).describe("A bash script"),
  workdir: z.string().optional().describe("Folder to start in; the workspace where it is left out"),
  env: z.record(z.string(), z.string()).optional().describe("More variables"),
  timeout: z.number().min(1).optional().describe("Seconds, if it may take less than it is given anyway"),
});

/** Runs a script over the workspace. It is not safe to run again: it may add to files and ask servers for things. */
export function execTool(port: ExecPort, etags: ReadEtags): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "exec",
    summary: "Run shell commands",
    description:
      "Runs a bash script in /workspace, with cat, ls, cp, mv, rm, find, grep, rg, sed, awk, sort, jq, diff, gzip, curl and " +
      "other usual programs. It is simulated: no python, node, git or package manager, no background jobs, nothing to " +
      "install (`ls /bin` lists all). Only files in /workspace stay; /skills is read-only. curl reaches the public internet only. " +
      `It is stopped after ${port.timeoutSec} s.`,
    parameters,
    replay: "unsafe",
    sequential: true,
    ...(port.asks && { approval: (asked) => execQuestion(asked) }),
    async run({ command, workdir, env = {}, timeout }, call) {
      const taken = Object.keys(env).find((name) => Object.hasOwn(port.env, name) || isShellVariable(name));
      if (taken !== undefined) throw new Error(`env cannot set ${taken}: it has a value already. Nothing was run.`);
      const result = await port.shell.run(command, {
        ...(workdir !== undefined && { cwd: workdir }),
        env: { ...env, ...port.env },
        timeoutMs: Math.min(timeout ?? port.timeoutSec, port.timeoutSec) * 1000,
        signal: call.signal,
      });
      note(result, etags);
      return { text: execResult(result, port.newFenceId) };
    },
  });
}

/** The agent knows a file that it made, or that it had seen as it was before. */
function note({ written, removed }: ShellResult, etags: ReadEtags): void {
  for (const { path, etag, before } of written) {
    if (before === undefined || etags.get(path) === before) etags.set(path, etag);
  }
  for (const path of removed) etags.forget(path);
}
