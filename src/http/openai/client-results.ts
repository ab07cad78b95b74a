import { IsopodError } from "../../lib/errors.ts";
import { missingResult } from "../../session-store/client-calls.ts";
import type { ClientResult, ReplayedRound } from "../../session-store/run-input.ts";
import type { SentCall, Turn } from "./conversation-turn.ts";

/** The end of a conversation that brings results of calls. */
export interface SentResults {
  results: readonly ClientResult[];
  /** What is said after them. */
  words: readonly Turn[];
  /** The question, and the calls and results since; empty where the session has them. */
  question: readonly Turn[];
  rounds: readonly ReplayedRound[];
  /** The turns before the question. */
  earlier: readonly Turn[];
}

/**
 * The results at the end of a conversation; undefined where it brings none.
 * @param hasHistory whether the session has the calls, so that the conversation may begin with their results
 * @throws IsopodError `invalid_request` for a result without its call, or a call without its result
 */
export function sentResults(turns: readonly Turn[], hasHistory: boolean, param: string): SentResults | undefined {
  const answered = turns.findLastIndex(({ role }) => role === "assistant") + 1;
  const tail = turns.slice(answered);
  const results = resultsIn(tail, param);
  const calls = turns[answered - 1]?.calls ?? [];
  if (results.length === 0 && calls.length === 0) return undefined;
  const words = tail.filter((turn) => turn.callId === undefined);
  if (hasHistory) {
    if (calls.length > 0) requirePaired(calls, results, param);
    return { results, words, question: [], rounds: [], earlier: [] };
  }
  requirePaired(calls, results, param);
  const { rounds, from } = roundsBefore(turns, answered - 1, param);
  const start = turns.slice(0, from).findLastIndex(({ role }) => role !== "user") + 1;
  return { results, words, question: turns.slice(start, from), rounds, earlier: turns.slice(0, start) };
}

/** The answers with calls up to this turn with nothing but results between them, and the index of the first. */
function roundsBefore(turns: readonly Turn[], last: number, param: string) {
  const rounds: ReplayedRound[] = [];
  let from = turns.length;
  for (let at = last; turns[at]?.calls !== undefined; ) {
    const { text, calls = [] } = turns[at] ?? { text: "" };
    const found = resultsIn(turns.slice(at + 1, from), param);
    requirePaired(calls, found, param);
    const resultOf = (callId: string) => found.find((result) => result.callId === callId)?.text ?? "";
    rounds.unshift({ text, calls: calls.map((call) => ({ ...call, result: resultOf(call.callId) })) });
    from = at;
    at = turns.findLastIndex(({ callId }, index) => index < from && callId === undefined);
  }
  return { rounds, from };
}

function resultsIn(turns: readonly Turn[], param: string): ClientResult[] {
  const results = turns.flatMap(({ callId, text }) => (callId === undefined ? [] : [{ callId, text }]));
  const twice = results.find(({ callId }, at) => results.findIndex((one) => one.callId === callId) < at);
  if (twice === undefined) return results;
  const message = `${param}: there are two results of the call '${twice.callId}'`;
  throw new IsopodError("invalid_request", message, undefined, { param, reason: "duplicate_tool_output" });
}

function requirePaired(calls: readonly SentCall[], results: readonly ClientResult[], param: string): void {
  const stray = results.find(({ callId }) => !calls.some((call) => call.callId === callId));
  if (stray !== undefined) {
    const message = `${param}: no tool call found before the output with call id '${stray.callId}'`;
    const hint = "Send the message that made the call before its result.";
    throw new IsopodError("invalid_request", message, hint, { param, reason: "unknown_tool_call" });
  }
  const missing = calls.find(({ callId }) => !results.some((result) => result.callId === callId));
  if (missing !== undefined) throw missingResult(missing.callId, param);
}
