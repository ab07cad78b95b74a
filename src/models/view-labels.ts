import { fileLabel, joinLabels, type Label, strangerLabel } from "../security/labels.ts";
import type { AssistantMessage, Message } from "./message.ts";

/** For how many more turns of the owner labels count after the turn in which they came in. */
const COUNTED_TURNS = 3;

/** Where the words of a message come from, or what an answer is made from, as far as it is not the owner's. */
export function messageLabels(message: Message): readonly Label[] {
  if (message.role !== "user") return message.labels ?? [];
  const { sender, said, labels, media = [] } = message;
  const isStranger = sender !== undefined && !sender.owner && sender.id !== "system";
  // Whoever wrote a PDF, or speaks in a recording, need not be the sender.
  const files = media.filter(({ isVoice }) => !isVoice).map(({ path }) => fileLabel(path));
  return joinLabels(labels, files, isStranger ? [strangerLabel(said?.as ?? sender.id)] : []);
}

/**
 * The labels that count for what a run may do: those of its own turn, and of the last three turns of the owner before
 * it. Older words stay fenced and count no more.
 * @param messages the model's view, oldest first
 */
export function labelsInView(messages: readonly Message[]): readonly Label[] {
  const found = new Set<Label>();
  let turns = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    for (const label of message.role === "assistant" ? [] : messageLabels(message)) found.add(label);
    const begins = message.role === "user" && message.sender?.owner === true && message.sender.id !== "system";
    if (begins && message.overheard === undefined) turns += 1;
    if (turns > COUNTED_TURNS) break;
  }
  return joinLabels([...found]);
}

/** An answer with the labels of what it is made from. */
export function withLabels(answer: AssistantMessage, view: readonly Message[]): AssistantMessage {
  const labels = labelsInView(view);
  return labels.length === 0 ? answer : { ...answer, labels };
}
