import { HEARTBEAT_OK, heartbeatReply } from "../../agent/heartbeat-reply.ts";
import { head } from "../../lib/text.ts";
import { isRepeated, type SentAlert } from "../../schedule/repeated-alert.ts";
import type { RunOrigin } from "../../session-store/run-input.ts";
import type { RunResult } from "../../session-store/run-result.ts";

/** After how many failures in a row people are told; once. */
export const TOLD_AFTER_FAILURES = 3;
const MAX_ERROR_CHARS = 500;

type Scheduled = Extract<RunOrigin, { kind: "heartbeat" | "job" }>;

/**
 * What people are told of a run that the clock started. An acknowledged heartbeat and an alert that was sent already
 * stay silent, and so does a failure, except for the third in a row.
 */
export function scheduledResult(
  result: RunResult,
  origin: Scheduled,
  { lastAlert, now }: { lastAlert: SentAlert | undefined; now: number },
): RunResult {
  if (result.yields || result.status === "aborted") return result;
  if (result.status !== "ok") return failed(result, origin);
  if (origin.kind === "job") return result;
  const { texts, files = [] } = result;
  const whole = texts.join("\n\n");
  const { deliver, text } = heartbeatReply(whole, files.length, origin.ackMaxChars);
  if (!deliver) return { ...result, texts: origin.showOk ? [HEARTBEAT_OK] : [], isQuiet: true };
  if (isRepeated(lastAlert, { text, files: files.length }, now)) return { ...result, texts: [], isQuiet: true };
  const told = text === whole.trim() ? texts : text === "" ? [] : [text];
  return { ...result, texts: told, alert: { text, at: now } };
}

function failed(result: RunResult, { kind, failures, ...origin }: Scheduled): RunResult {
  if (failures + 1 !== TOLD_AFTER_FAILURES) return { ...result, texts: [] };
  const what = "name" in origin ? `The job "${origin.name}"` : "The heartbeat";
  const where = kind === "job" ? "/jobs shows it and can pause it." : "/heartbeat status shows it.";
  const why = head(result.error?.message ?? result.status, MAX_ERROR_CHARS);
  return { ...result, texts: [`⚠️ ${what} has failed ${TOLD_AFTER_FAILURES} times in a row: ${why}\n${where}`] };
}
