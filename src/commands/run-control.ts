import type { ImmediateCommand } from "./command.ts";

/** `/stop`: stops the current run, waiting runs and all sub-agents. */
export const stop: ImmediateCommand = {
  kind: "immediate",
  name: "stop",
  summary: "Stop the current run, waiting runs and sub-agents",
  usage: "/stop",
  run(_args, session) {
    const { runs, subagents } = session.stopAll();
    if (runs === 0 && subagents === 0) return "Nothing was running.";
    if (runs === 1 && subagents === 0) return "Stopped.";
    return `Stopped ${[...count(runs, "run"), ...count(subagents, "sub-agent")].join(" and ")}.`;
  },
};

function count(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}${number === 1 ? "" : "s"}`];
}

const DECISIONS = ["allow-once", "allow-always", "deny"] as const;
const APPROVE_USAGE =
  "Use `/approve allow-once`, `/approve allow-always` or `/approve deny`. If several calls wait: `/approve <id> deny`.";

/** `/approve [id] allow-once|allow-always|deny`: decides tool calls that wait for approval. */
export const approve: ImmediateCommand = {
  kind: "immediate",
  name: "approve",
  summary: "Allow or deny a tool call that waits for approval",
  usage: "/approve [id] allow-once | allow-always | deny",
  run(args, session) {
    const words = args.split(/\s+/).filter((word) => word !== "");
    const decision = DECISIONS.find((candidate) => candidate === words.at(-1)?.toLowerCase());
    if (decision === undefined || words.length > 2) return APPROVE_USAGE;
    const tools = session.decide(words.length === 2 ? words[0] : undefined, decision);
    if (tools.length === 0) return "No tool call waits for approval.";
    const verb = decision === "deny" ? "Denied" : "Allowed";
    return `${verb}: ${tools.map((tool) => `\`${tool}\``).join(", ")}.`;
  },
};
