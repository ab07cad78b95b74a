import type { LoopEnd } from "../../agent/loop.ts";
import { replyTexts } from "../../agent/reply.ts";
import type { Target } from "../../channels/channel.ts";
import type { OutboxPart } from "../../session-store/outbox.ts";
import type { Answering } from "../../session-store/run-result.ts";
import { type RunResult, stopped } from "../../session-store/run-result.ts";
import { fileLine } from "./files.ts";
import type { RunOutput } from "./run-output.ts";

/** Converts the end of a loop into the result of its run. A stopped run has no further reply. */
export function runResult(
  end: Exclude<LoopEnd, { kind: "paused" }>,
  signal: AbortSignal,
  output: RunOutput,
): RunResult {
  if (end.kind === "aborted") return { ...stopped(signal), ...(end.message && { message: end.message }) };
  const { message } = end;
  const { error } = message;
  const texts = replyTexts(output.finalReply(message));
  const answering = output.answering(message);
  if (error === undefined) return { status: "ok", message, texts, answering };
  return { status: "error", message, error: { code: "model_error", message: error.message }, texts, answering };
}

const BESIDE: Answering = { isFirst: false };

/** The outbox parts of a run's result for its own conversation, files last. */
export function replyParts(
  { texts, answering, files = [] }: RunResult,
  target: Target | null,
  format: (target: Target, markdown: string, answering?: Answering) => OutboxPart[],
): OutboxPart[] {
  if (target === null) return [];
  const said = texts.flatMap((text, n) => format(target, text, n === 0 ? answering : BESIDE));
  const attached = files.flatMap((file) =>
    format(target, fileLine(file), BESIDE)
      .slice(0, 1)
      .map((part) => ({ ...part, source: file })),
  );
  return [...said, ...attached];
}
