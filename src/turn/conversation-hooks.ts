import type { SessionBoundaryEvent } from "../plugins/hook-map.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { ActiveRun } from "./active-run.ts";
import type { TurnContext } from "./turn-context.ts";
import type { TurnDeps } from "./turn-deps.ts";

/**
 * Runs the hooks for the end of a conversation and the start of the next. The start is stored with the run that caused
 * it, so after a crash the hooks run again until the model has answered for the first time.
 */
export async function runConversationHooks(
  { row, journal }: ActiveRun,
  { services }: Pick<TurnContext, "services">,
  { hooks, session, spokenIn }: Pick<TurnDeps, "hooks" | "session" | "spokenIn">,
): Promise<void> {
  const { ended, origin } = journal.state;
  if (ended === undefined && !hooks.has("session_start")) return;
  if (!beginsConversation(journal, session)) return;
  if (ended === undefined) {
    await hooks.run("session_start", { sessionId: session.sessionId, reason: "created" }, row.id);
    return;
  }
  const command = origin?.kind === "reset" ? resetOf(origin.name) : undefined;
  const reason = command ?? byTime(services.config.session.reset.mode);
  await hooks.run("session_end", { sessionId: ended.sessionId, reason }, row.id);
  if (command !== undefined) {
    const event = {
      endedSessionId: ended.sessionId,
      startedSessionId: session.sessionId,
      source: row.target?.channel ?? "api",
      at: row.acceptedAt,
      messages: (limit: number) => spokenIn(ended, limit),
    };
    await hooks.run(`command:${command}`, event, row.id);
  }
  await hooks.run("session_start", { sessionId: session.sessionId, reason }, row.id);
}

/** Whether a run begins a conversation: it has no earlier messages. True until the model has answered. */
export function beginsConversation(journal: ActiveRun["journal"], session: Pick<SessionRow, "contextSeq">): boolean {
  const said = journal.context();
  if (said.some(({ role }) => role === "assistant")) return false;
  if (journal.state.ended !== undefined) return true;
  const others = said.filter((message) => message.role === "user" && message.fromRunId === undefined).length - 1;
  return session.contextSeq <= 1 && others <= 0;
}

function resetOf(name: string): "new" | "reset" {
  return name === "new" ? "new" : "reset";
}

function byTime(mode: "none" | "daily" | "idle"): SessionBoundaryEvent["reason"] {
  return mode === "daily" ? "daily" : "idle";
}
