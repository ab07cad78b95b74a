import type { ImmediateCommand } from "./command.ts";

const DECISIONS = ["allow-once", "allow-always", "deny"] as const;
const USAGE =
  "Use `/approve allow-once`, `/approve allow-always` or `/approve deny`, with the call's id in between if several wait.";

/** `/approve [id] allow-once|allow-always|deny`: a person's word on the calls that wait for it. */
export const approve: ImmediateCommand = {
  kind: "immediate",
  name: "approve",
  summary: "Say whether a tool call may run",
  usage: "/approve [id] allow-once | allow-always | deny",
  run(args, session) {
    const words = args.split(/\s+/).filter((word) => word !== "");
    const decision = DECISIONS.find((candidate) => candidate === words.at(-1)?.toLowerCase());
    if (decision === undefined || words.length > 2) return USAGE;
    const tools = session.decide(words.length === 2 ? words[0] : undefined, decision);
    if (tools.length === 0) return "No call waits for your word.";
    const verb = decision === "deny" ? "Denied" : "Allowed";
    return `${verb}: ${tools.map((tool) => `\`${tool}\``).join(", ")}.`;
  },
};
