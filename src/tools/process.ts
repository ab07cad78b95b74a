import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../agent/tool.ts";
import { durationText } from "../lib/duration-text.ts";
import { head } from "../lib/text.ts";
import type { BackgroundPort } from "./exec.ts";

/** The commands that a session has run in the background. */
export interface ProcessesPort extends Omit<BackgroundPort, "afterMs" | "wakes"> {
  /** Those that are kept, the oldest first. */
  list(): readonly ListedProcess[];
  /** The end of what it has printed so far, or its result; undefined where there is none with this number. */
  log(id: number): ToolOutput | undefined;
  /** Stops it. False if it does not run. */
  kill(id: number): boolean;
}

export interface ListedProcess {
  id: number;
  command: string;
  status: "running" | "ended" | "killed" | "interrupted";
  startedAt: number;
  /** Absent while it runs. */
  endedAt?: number;
}

const MAX_COMMAND_CHARS = 120;

/** What is true of the files of a command that has not come to its end. */
export const PARTLY_STORED = "What it changed may be stored in part: look before you run it again.";

const parameters = z.strictObject({
  action: z.enum(["list", "log", "kill"]),
  id: z.int().optional(),
});

/** Shows and stops commands that run in the background. Safe to replay: a stopped command stays stopped. */
export function processTool(port: Pick<ProcessesPort, "list" | "log" | "kill">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "process",
    summary: "Look at commands in the background, or stop one",
    description: "Commands of `exec` in the background: what one has printed, or kill it.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ action, id }, { now }) {
      const all = port.list();
      if (action === "list") return { text: all.map((one) => listLine(one, now())).join("\n") || "There are none." };
      if (id === undefined) throw new Error(`id: it is missing. ${known(all)}`);
      if (action === "kill") {
        if (port.kill(id)) return { text: `Process ${id} was killed. ${PARTLY_STORED}` };
        throw new Error(`Process ${id} does not run. ${known(all)}`);
      }
      const output = port.log(id);
      if (output === undefined) throw new Error(`There is no process ${id}. ${known(all)}`);
      return output;
    },
  });
}

function listLine({ id, command, status, startedAt, endedAt }: ListedProcess, now: number): string {
  const [line = "", ...more] = command.trim().split("\n");
  const shown = more.length > 0 || line.length > MAX_COMMAND_CHARS ? `${head(line, MAX_COMMAND_CHARS)}…` : line;
  return `${id}  ${status}, ${durationText((endedAt ?? now) - startedAt)}  ${shown}`;
}

function known(all: readonly ListedProcess[]): string {
  return all.length === 0 ? "There are no processes." : `Processes: ${all.map(({ id }) => id).join(", ")}.`;
}
