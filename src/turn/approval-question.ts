import type { Button, Buttons, Target } from "../channels/channel.ts";
import { shortApprovalId } from "../config/session-ids.ts";
import type { Approval, RunState } from "../session-store/run.ts";

/** The approval question of a paused run, as a channel shows it. */
export interface PersonQuestion {
  /** Markdown. */
  text: string;
  /** Absent if the channel has none. */
  buttons?: Buttons;
}

/** Formats an approval question: with buttons if the channel has them, else with the command to type. */
export function askPerson(state: RunState, hasButtons: boolean): PersonQuestion {
  const open = openIn(state);
  const questions = open.map(questionLine);
  const always = open.some(({ grant }) => grant !== undefined) ? ", `/approve allow-always`" : "";
  const manual = `Answer \`/approve allow-once\`${always} or \`/approve deny\`.`;
  return {
    text: ["**I need your word before I go on.**", questions.join("\n"), ...(hasButtons ? [] : [manual])].join("\n\n"),
    ...(hasButtons && { buttons: open.map((approval) => rowOf(approval, open.length > 1)) }),
  };
}

/** Formats the question of a paused sub-agent, for the chat that waits for its result. */
export function askElsewhere(state: RunState): PersonQuestion {
  const label = spawnOf(state)?.spawned.label ?? "";
  const open = openIn(state);
  return {
    text: [
      `**The sub-agent "${label}" needs your word before it goes on.**`,
      open.map(questionLine).join("\n"),
      `Answer here: ${open.map(({ id }) => `\`/approve ${id} allow-once\` or \`deny\``).join("; ")}.`,
    ].join("\n\n"),
  };
}

/** The conversation that waits for a run without a conversation of its own. */
export function peopleOf(state: RunState): Target | undefined {
  return spawnOf(state)?.people;
}

function spawnOf(state: RunState) {
  return "origin" in state && state.origin?.kind === "spawn" ? state.origin : undefined;
}

function openIn(state: RunState): Approval[] {
  return state.status === "waiting_approval" ? state.approvals.filter(isOpen) : [];
}

/** The lines of a question below the first, such as a script, are not Markdown: they are shown in a code block. */
function questionLine({ tool, question }: Approval): string {
  const [asked, ...shown] = question.split("\n");
  const line = `- \`${tool}\`: ${asked}`;
  return shown.length === 0 ? line : `${line}\n\n${fenced(shown.join("\n"))}\n`;
}

function fenced(text: string): string {
  const runs = (text.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}\n${text}\n${fence}`;
}

const CHOICES = [
  ["Allow once", "allow-once"],
  ["Always", "allow-always"],
  ["Deny", "deny"],
] as const;

function rowOf({ id, tool, grant }: Approval, isOneOfMany: boolean): Button[] {
  return CHOICES.filter(([, decision]) => grant !== undefined || decision !== "allow-always").map(
    ([label, decision]) => ({
      label: isOneOfMany ? `${tool}: ${label}` : label,
      says: `/approve ${shortApprovalId(id)} ${decision}`,
    }),
  );
}

function isOpen({ decision }: Approval): boolean {
  return decision === undefined;
}
