import type { RunState } from "./run.ts";

/** What a channel says when a run waits for a person, as Markdown. */
export function askPerson(state: RunState): string {
  if (state.status !== "waiting_approval") return "";
  const open = state.approvals.filter((approval) => approval.decision === undefined);
  const questions = open.map(({ tool, question }) => `- \`${tool}\`: ${question}`);
  return [
    "**I need your word before I go on.**",
    questions.join("\n"),
    "Answer `/approve allow-once`, `/approve allow-always` or `/approve deny`.",
  ].join("\n\n");
}
