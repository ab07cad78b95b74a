import type { Button, Buttons } from "../../channels/channel.ts";
import { shortApprovalId } from "../locate.ts";
import type { Approval, RunState } from "./run.ts";

/** What a channel shows when a run waits for a person. */
export interface PersonQuestion {
  /** Markdown. */
  text: string;
  /** Absent where the channel has none. */
  buttons?: Buttons;
}

/** Asks for a person's word: with buttons where the channel has them, else with the command to type. */
export function askPerson(state: RunState, hasButtons: boolean): PersonQuestion {
  const open = state.status === "waiting_approval" ? state.approvals.filter(isOpen) : [];
  const questions = open.map(({ tool, question }) => `- \`${tool}\`: ${question}`);
  const manual = "Answer `/approve allow-once`, `/approve allow-always` or `/approve deny`.";
  return {
    text: ["**I need your word before I go on.**", questions.join("\n"), ...(hasButtons ? [] : [manual])].join("\n\n"),
    ...(hasButtons && { buttons: open.map((approval) => rowOf(approval, open.length > 1)) }),
  };
}

const CHOICES = [
  ["Allow once", "allow-once"],
  ["Always", "allow-always"],
  ["Deny", "deny"],
] as const;

function rowOf({ id, tool }: Approval, isOneOfMany: boolean): Button[] {
  return CHOICES.map(([label, decision]) => ({
    label: isOneOfMany ? `${tool}: ${label}` : label,
    says: `/approve ${shortApprovalId(id)} ${decision}`,
  }));
}

function isOpen({ decision }: Approval): boolean {
  return decision === undefined;
}
