import { toolCalls } from "../../src/models/message.ts";
import type { HistoryMessage } from "./evidence.ts";
import type { PlannedSession } from "./plan.ts";
import { announcedIn, scriptsIn } from "./script.ts";
import type { SentMessage } from "./sender.ts";

/** A sub-agent that a session started, as the transcript of that session tells it. */
export interface StartedChild {
  tag: string;
  key: string;
  runId: string;
  task: string;
  /** The run of the parent that has started it. */
  startedBy: string;
}

/** The sub-agents whose start a transcript has the result of. */
export function startedIn(history: readonly HistoryMessage[]): StartedChild[] {
  const calls = new Map(
    history
      .flatMap((entry) => (entry.role === "assistant" ? toolCalls(entry) : []))
      .map((call) => [call.callId, call.args] as const),
  );
  return history.flatMap((entry) => {
    if (entry.role !== "tool" || entry.tool !== "sessions_spawn" || entry.isError) return [];
    const { childSessionKey: key, runId } = JSON.parse(entry.text);
    const task = String(calls.get(entry.callId)?.task);
    return scriptsIn(task).map(({ tag }) => ({ tag, key, runId, task, startedBy: entry.runId }));
  });
}

/** The sub-agents whose end a transcript tells, in its order. */
export function announcementsIn(history: readonly HistoryMessage[]): string[] {
  return history.flatMap((entry) => (entry.role === "user" ? (announcedIn(entry.text) ?? []) : []));
}

/** A sub-agent's session, as if somebody had written its task to it. */
export function asSession({ key, task, runId }: StartedChild, parent: PlannedSession): [PlannedSession, SentMessage] {
  const session: PlannedSession = { key, mode: parent.mode === "interrupt" ? "interrupt" : "steer", readers: [] };
  const message = {
    session,
    text: task,
    key,
    number: 0,
    afterKill: 0,
    sending: "once" as const,
    door: "api" as const,
  };
  return [session, { message, runIds: [runId], refused: [] }];
}
