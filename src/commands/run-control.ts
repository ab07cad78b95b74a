import { grantText } from "../session-store/grants.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { ImmediateCommand } from "./command.ts";

/** `/stop`: stops the current run, waiting runs, all sub-agents and all commands in the background. */
export const stop: ImmediateCommand = {
  kind: "immediate",
  name: "stop",
  summary: "Stop the current run, waiting runs and sub-agents",
  usage: "/stop",
  run(_args, session) {
    const { runs, subagents, processes } = session.stopAll();
    const others = [...count(subagents, "sub-agent"), ...count(processes, "command")];
    if (runs === 0 && others.length === 0) return "Nothing was running.";
    if (runs === 1 && others.length === 0) return "Stopped.";
    return `Stopped ${[...count(runs, "run"), ...others].join(" and ")}.`;
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

/** `/resend`: sends again what did not arrive in this conversation, or may not have. */
export const resendCommand: ImmediateCommand = {
  kind: "immediate",
  name: "resend",
  summary: "Send again what may not have arrived here",
  usage: "/resend",
  run(_args, session) {
    const again = session.resend();
    return again === 0 ? "Everything has arrived." : `Sent again: ${again} message${again === 1 ? "" : "s"}.`;
  },
};

const APPROVALS_USAGE = "Use `/approvals`, or `/approvals revoke <id>` with an id of the list.";
/** As much of an id as the list shows. */
const SHORT_ID_CHARS = 8;

/** `/approvals [revoke <id>]`: what an owner has allowed for good in this session. */
export const approvals: ImmediateCommand = {
  kind: "immediate",
  name: "approvals",
  summary: "List or revoke what you have allowed for good",
  usage: "/approvals [revoke <id>]",
  run(args, session) {
    const [verb, id, ...rest] = args.split(/\s+/).filter((word) => word !== "");
    if (verb === undefined) return grantList(session.grants());
    if (verb.toLowerCase() !== "revoke" || id === undefined || rest.length > 0) return APPROVALS_USAGE;
    const grant = session.revoke(id);
    return grant === undefined
      ? `Nothing is allowed under \`${id.slice(0, 40)}\`. ${APPROVALS_USAGE}`
      : `Revoked: ${grantText(grant)}.`;
  },
};

function grantList(grants: readonly Grant[]): string {
  if (grants.length === 0) return "Nothing is allowed for good in this session.";
  return grants.map((grant) => `- \`${grant.id.slice(-SHORT_ID_CHARS)}\` ${grantText(grant)}`).join("\n");
}
