import type { LoopDeps } from "../agent/loop-deps.ts";
import { head } from "../lib/text.ts";
import { type AnswerFormat, answerCheck } from "../models/answer-format.ts";
import { type AssistantMessage, messageText } from "../models/message.ts";
import type { RunJournal } from "../session-store/run-journal.ts";

/** Most characters of what is wrong with an answer. */
const MAX_FAULT_CHARS = 1000;

/**
 * Holds the final reply of a run to the format that its client asked for: its text becomes the bare JSON. A reply in
 * another form is asked for once more; the next one ends the run with an error.
 */
export function reviewFormat(format: AnswerFormat, journal: Pick<RunJournal, "rejected">): LoopDeps["review"] {
  const check = answerCheck(format);
  let isRepeated = false;
  return (message) => {
    if (message.stop !== "stop") return message;
    const checked = check(messageText(message));
    if ("json" in checked) return withText(message, checked.json);
    const fault = head(checked.fault, MAX_FAULT_CHARS);
    if (isRepeated) {
      const sentence = `The model's answer does not have the format that was asked for, twice: ${fault}`;
      return { ...message, stop: "error", error: { kind: "other", message: sentence } };
    }
    isRepeated = true;
    journal.rejected(
      message,
      `[System] That is not the JSON that was asked for: ${fault}\nAnswer again, with it alone.`,
    );
    return undefined;
  };
}

function withText(message: AssistantMessage, text: string): AssistantMessage {
  return { ...message, parts: [...message.parts.filter((part) => part.type !== "text"), { type: "text", text }] };
}
