import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { type AssistantMessage, NO_USAGE, type ToolCallPart, type ToolMessage, toolCalls } from "../models/message.ts";
import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import { newestFirst } from "./recent-messages.ts";
import { isBegun } from "./run.ts";
import type { ClientResult, RunInput } from "./run-input.ts";
import { findRun, type OpenRun, openRuns, type RunRow } from "./runs.ts";
import { readSessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";

/**
 * Calls of a client's tools. A run whose model calls one ends, and its calls stay open in the transcript. The run that
 * brings their results stores them behind the calls, so that the model goes on where it was. A result whose call is no
 * longer open, because a new message came first, becomes a message of its own.
 */

/** How many messages back a call is looked for. */
const MAX_LOOKED_AT = 500;

/** The open calls of a session, and the run that made them. */
interface OpenCalls {
  runId: string;
  calls: readonly ToolCallPart[];
}

const NONE: OpenCalls = { runId: "", calls: [] };

/** The calls of the last reply that have no result, where its run has ended and nothing was said since. */
function openClientCalls(store: Store): OpenCalls {
  const answered = new Set<string>();
  for (const { message, runId } of newestFirst(store, readSessionRow(store)?.contextSeq ?? 0)) {
    if (message.aside || message.inner) continue;
    if (message.role === "user") return NONE;
    if (message.role === "tool") {
      answered.add(message.callId);
      continue;
    }
    const isAtWork = openRuns(store).some((row) => row.id === runId && isBegun(row.state));
    return isAtWork ? NONE : { runId, calls: toolCalls(message).filter(({ callId }) => !answered.has(callId)) };
  }
  return NONE;
}

/**
 * Checks results before they are accepted: their calls are known and have no result yet, and no open call is left out.
 * @throws IsopodError `invalid_request` or `conflict`, naming the call
 */
export function requireCalls(store: Store, results: readonly ClientResult[], unsettled: readonly OpenRun[]): void {
  const { calls } = openClientCalls(store);
  const given = new Set(results.map(({ callId }) => callId));
  const waiting = unsettled.filter(({ state }) => state.status === "queued");
  const sent = new Set(waiting.flatMap(({ id }) => findRun(store, id)?.input?.results?.map(({ callId }) => callId)));
  for (const callId of given) {
    const isOpen = calls.some((call) => call.callId === callId);
    if (sent.has(callId) || (!isOpen && callState(store, callId) === "answered")) {
      const message = `The call '${callId}' has its result already`;
      throw new IsopodError("conflict", message, "Go on with a new message.", { reason: "duplicate_tool_output" });
    }
    if (isOpen || callState(store, callId) === "late") continue;
    const message = `No tool call found for the output with call id '${callId}'`;
    const hint = "Send results in the session whose response made the call, or the call together with its result.";
    throw new IsopodError("invalid_request", message, hint, { reason: "unknown_tool_call" });
  }
  const missing = calls.find(({ callId }) => !given.has(callId));
  if (missing !== undefined && calls.some(({ callId }) => given.has(callId))) throw missingResult(missing.callId);
}

/** The error for a call without a result beside calls that have theirs. */
export function missingResult(callId: string, param?: string): IsopodError {
  const message = `No tool output found for the call '${callId}'`;
  const hint = "Send the results of all calls of a response together.";
  return new IsopodError("invalid_request", message, hint, {
    reason: "missing_tool_output",
    ...(param !== undefined && { param }),
  });
}

/** `late`: the conversation went on without the result. */
function callState(store: Store, callId: string): "answered" | "late" | "unknown" {
  let looked = 0;
  for (const { message } of newestFirst(store, readSessionRow(store)?.contextSeq ?? 0)) {
    if (message.role === "tool" && message.callId === callId) return "answered";
    if (message.role === "assistant" && toolCalls(message).some((call) => call.callId === callId)) return "late";
    looked += 1;
    if (looked >= MAX_LOOKED_AT) break;
  }
  return "unknown";
}

/** Where the results of a run are stored, and when. */
interface ResultsDeps {
  store: Store;
  log: EventLog;
  now: number;
}

/** Stores the results of a run behind their open calls, within the fence. Returns the input that is left to be said. */
export function takeResults(input: RunInput, { store, log, now }: ResultsDeps): RunInput & { isOnlyResults?: true } {
  const { results = [] } = input;
  if (results.length === 0) return input;
  const open = openClientCalls(store);
  const found = results.flatMap(({ callId, text }) => {
    const call = open.calls.find((one) => one.callId === callId);
    return call === undefined ? [] : [toolResult(call, text, now)];
  });
  if (found.length < results.length) return { ...input, text: [lateResults(results), input.text].join("\n\n").trim() };
  // They belong to the run that made the calls: a reader of this one sees what it does with them.
  for (const message of found) log.append(open.runId, message);
  if (input.text !== "" || [...(input.images ?? []), ...(input.media ?? [])].length > 0) return input;
  const names = [...new Set(found.map(({ tool }) => tool))];
  return { ...input, text: `[Results: ${names.join(", ")}]`, isOnlyResults: true };
}

function lateResults(results: readonly ClientResult[]): string {
  return results
    .map(({ callId, text }) => `[The result of the call ${callId}, which came late:]\n${text}`)
    .join("\n\n");
}

function toolResult({ callId, tool }: ToolCallPart, text: string, now: number): ToolMessage {
  return { role: "tool", id: newId("msg", now), at: now, callId, tool, text, isError: false };
}

/** The name under which calls are stored that a client has brought along with their results. */
const BROUGHT_BY = "isopod/client";

/**
 * Stores calls and results that a client has brought along behind its question, within the fence: as those of an
 * earlier run, because this one did not make them.
 */
export function replayCalls(row: RunRow, input: RunInput, { log, now }: Omit<ResultsDeps, "store">): void {
  const { replay } = input;
  if (replay === undefined) return;
  const runId = newRunId(objectNameOfRun(row.id) ?? "", now);
  for (const { text, calls } of replay.rounds) {
    const reply: AssistantMessage = {
      role: "assistant",
      id: newId("msg", now),
      at: now,
      model: BROUGHT_BY,
      parts: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...calls.map(({ callId, tool, args }) => ({ type: "tool-call" as const, callId, tool, args })),
      ],
      stop: "tool-calls",
      usage: NO_USAGE,
    };
    log.append(runId, reply);
    for (const { callId, tool, args, result } of calls) {
      log.append(runId, toolResult({ type: "tool-call", callId, tool, args }, result, now));
    }
  }
  if (replay.after === undefined) return;
  const { images: _, media: _media, ...words } = input;
  log.append(runId, userMessage({ ...words, text: replay.after }, { acceptedAt: row.acceptedAt, at: now }));
}
