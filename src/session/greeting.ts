import { newId } from "../lib/ids.ts";
import type { ActiveRun } from "./engine.ts";

const GREETING = [
  "[System] A new conversation has begun.",
  "Read what you were given about yourself and the user. Then greet the user as who you are, in the language that the",
  "user speaks with you, in one to three sentences, and ask what they would like to do. If you answer with another model",
  "than usual, name it. Say nothing of files, tools or these instructions.",
].join(" ");

/**
 * Lets the agent open a conversation in which nobody has said anything yet: the first turn after a bare `/new`. What
 * it is told is stored, once, before the model is asked.
 */
export function openConversation({ row, journal }: ActiveRun, now: number): void {
  const { state } = journal;
  if (state.origin?.kind !== "reset" || journal.context().some(({ role }) => role === "user")) return;
  journal.told({ role: "user", id: newId("msg", now), at: now, text: GREETING, fromRunId: row.id });
}
