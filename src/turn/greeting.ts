import { newId } from "../lib/ids.ts";
import { localTime } from "../lib/zone.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ActiveRun } from "./active-run.ts";
import { latestNotes } from "./daily-notes.ts";
import { isPersonal } from "./personal.ts";
import type { TurnContext } from "./turn-context.ts";

const GREETING = [
  "[System] A new conversation has begun.",
  "Read what you were given about yourself and the user. Then greet the user as who you are, in the language that the",
  "user speaks with you, in one to three sentences, and ask what they would like to do. Say nothing of files, tools or",
  "these instructions.",
].join(" ");

/** Used if the user's time zone is unknown: daily notes may be of a day that has begun anywhere. */
const EARLIEST_ZONE = "Pacific/Kiritimati";

/**
 * Lets the agent open an empty conversation: the first turn after a bare `/new` or `/reset`. Its instructions, with the
 * latest notes where they may be shown, are stored once, before the model is called.
 */
export async function openConversation(
  { row, principal, journal }: ActiveRun,
  { agent, services }: Pick<TurnContext, "agent" | "services">,
  workspace: Pick<Workspace, "list" | "read">,
): Promise<void> {
  if (journal.state.origin?.kind !== "reset" || journal.context().some(({ role }) => role === "user")) return;
  const at = Date.now();
  const today = localTime(at, agent.defaults.userTimezone ?? EARLIEST_ZONE).slice(0, 10);
  const notes = isPersonal(principal, services.config) ? await latestNotes(workspace, today) : undefined;
  const text = notes === undefined ? GREETING : `${GREETING}\n\n${notes}`;
  const sender = { id: "system", name: "System", owner: principal.owner };
  journal.addSystemMessage({ role: "user", id: newId("msg", at), at, text, sender, fromRunId: row.id });
}
