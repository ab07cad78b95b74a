import type { Question } from "./telling.ts";

/** What a caller is told, as Markdown, when a run waits for a person's word; the run goes on once it has it. */
export function waitingText(approvals: readonly Question[]): string {
  const questions = approvals.map(
    ({ id, tool, question }) => `- \`${tool}\`: ${question}\n  \`POST /v1/approvals/${id}\``,
  );
  return [
    "**I need your word before I go on.**",
    questions.join("\n"),
    'Answer there with `{"decision": "allow-once"}`, `allow-always` or `deny`, or say `/approve allow-once` in this ' +
      "session. I go on then; `GET /v1/runs/<runId>` has my answer.",
  ].join("\n\n");
}
