import { messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";
import { CONDITIONAL_TOOLS, RESERVED_TOOLS } from "../security/tool-policy.ts";
import type { ApprovalQuestion } from "./journal.ts";
import type { Gate, LoopDeps, ReturnedOutput, Vetted } from "./loop-deps.ts";
import { withRepetitionNote } from "./loop-detection.ts";
import type { AnyTool, KeptOutput } from "./tool.ts";
import { wrongArguments } from "./wrong-arguments.ts";

/** The result of a call that a crash interrupted. */
export const UNKNOWN_EFFECT = "interrupted: it may or may not have taken effect";
/** The result of a call that was skipped because of a new message. */
export const SKIPPED = "skipped: a new message arrived";

/**
 * Runs the open calls of one reply and stores each result as soon as it is available. Calls are launched in the reply's
 * order; neighbours run concurrently if their tools allow it.
 *
 * Nothing is launched until every call that needs approval has a decision; until then the outcome is `paused`. After a
 * new message, calls that were not launched are skipped. A call that an earlier incarnation launched is run again only
 * if its tool is safe to replay; otherwise its result says that the effect is unknown.
 */
export async function runTools(
  loop: LoopDeps,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): Promise<"done" | "paused"> {
  const vet = createVet(loop);
  const fresh = calls.filter((call) => !loop.journal.wasLaunched(call.callId));
  const questions = loop.journal.hasPendingInput() ? [] : await pendingQuestions(loop, fresh, vet);
  if (signal.aborted) return "done";
  if (questions.length > 0) {
    loop.journal.pausing(questions);
    return "paused";
  }
  for (const batch of concurrentGroups(loop, calls)) {
    if (signal.aborted) break;
    if ((await runBatch(loop, batch, vet, signal)) === "paused") return "paused";
  }
  return "done";
}

type Vet = (call: ToolCallPart) => Promise<Vetted>;

/** The calls that still need approval, with the arguments that they would be launched with. */
async function pendingQuestions(loop: LoopDeps, calls: readonly ToolCallPart[], vet: Vet): Promise<ApprovalQuestion[]> {
  const questions: ApprovalQuestion[] = [];
  for (const call of calls) {
    if (loop.journal.verdictOn(call.callId) !== undefined) continue;
    const vetted = toolNamed(loop, call) === undefined ? { blocked: "" } : await vet(call);
    if ("blocked" in vetted) continue;
    const run = { ...call, args: vetted.args };
    const gate = await gateOf(loop, run);
    if (gate.kind !== "ask") continue;
    const { question, grant } = gate;
    questions.push({ call: run, question, ...(grant && { grant }) });
  }
  return questions;
}

const MAY_GO: Gate = { kind: "go", approved: false };

/** Whether a call may be launched. One with invalid arguments may: it fails with what is wrong with them. */
async function gateOf(loop: LoopDeps, call: ToolCallPart): Promise<Gate> {
  const tool = toolNamed(loop, call);
  if (tool === undefined || (tool.effects === undefined && tool.approval === undefined)) return MAY_GO;
  const args = tool.parameters.safeParse(call.args);
  return args.success ? loop.gate({ callId: call.callId, tool, args: args.data }) : MAY_GO;
}

/** Groups calls that may run concurrently: neighbours that are not sequential. */
function concurrentGroups(loop: LoopDeps, calls: readonly ToolCallPart[]): ToolCallPart[][] {
  const groups: ToolCallPart[][] = [];
  let open: ToolCallPart[] | undefined;
  for (const call of calls) {
    const sequential = toolNamed(loop, call)?.sequential ?? false;
    if (sequential || open === undefined) {
      groups.push([call]);
      open = sequential ? undefined : groups.at(-1);
    } else {
      open.push(call);
    }
  }
  return groups;
}

async function runBatch(
  loop: LoopDeps,
  batch: readonly ToolCallPart[],
  vet: Vet,
  signal: AbortSignal,
): Promise<"done" | "paused"> {
  const { journal, hooks } = loop;
  const skip = journal.hasPendingInput();
  const launched: { call: ToolCallPart; args: JsonObject; approved: boolean }[] = [];
  for (const call of batch) {
    const again = journal.wasLaunched(call.callId);
    if (again && toolNamed(loop, call)?.replay !== "safe") storeResult(loop, call, UNKNOWN_EFFECT);
    else if (skip && !again && journal.verdictOn(call.callId) === undefined) storeResult(loop, call, SKIPPED);
    else if (journal.verdictOn(call.callId) === "deny")
      storeResult(loop, call, "denied: the owner did not allow this call");
    else if (!isRunnable(loop, call)) launched.push({ call, args: call.args, approved: false });
    else {
      const vetted = await vet(call);
      if ("blocked" in vetted) {
        storeResult(loop, call, `blocked: ${vetted.blocked}`);
        continue;
      }
      const { args } = vetted;
      const isAllowed = journal.verdictOn(call.callId) === "allow";
      const gate = isAllowed ? { kind: "go" as const, approved: true } : await gateOf(loop, { ...call, args });
      if (gate.kind === "go") launched.push({ call, args, approved: gate.approved });
      else if (gate.kind === "refuse") storeResult(loop, call, `refused: ${gate.reason}`);
      else {
        // The results of earlier calls of this reply have changed what this one may do unasked.
        const { question, grant } = gate;
        journal.pausing([{ call: { ...call, args }, question, ...(grant && { grant }) }]);
        return "paused";
      }
    }
  }
  if (launched.length === 0 || signal.aborted) return "done";
  journal.launching(launched.map(({ call, args }) => ({ ...call, args })));
  await Promise.all(
    launched.map(async ({ call, args, approved }) => {
      const run = { ...call, args };
      const output = await runTool(loop, run, approved, signal);
      const { isError, ...returned } = (await hooks?.returned(run, output)) ?? output;
      const kept = await loop.keep(returned);
      if (signal.aborted) return;
      const result = storeResult(loop, call, kept, isError);
      hooks?.afterCall(run, result);
    }),
  );
  return "done";
}

async function runTool(
  loop: LoopDeps,
  call: ToolCallPart,
  approved: boolean,
  signal: AbortSignal,
): Promise<ReturnedOutput> {
  const failed = (text: string) => ({ text, isError: true });
  const tool = toolNamed(loop, call);
  if (call.invalidArgs !== undefined) {
    return failed(`The arguments are not a JSON object: ${call.invalidArgs.slice(0, 200)}`);
  }
  if (tool === undefined) return failed(unknownTool(loop, call));
  const args = tool.parameters.safeParse(call.args);
  if (!args.success) return failed(`Wrong arguments.\n${wrongArguments(tool, call.args, args.error)}`);
  try {
    const run = tool.run(args.data, {
      callId: call.callId,
      approved,
      signal,
      now: loop.now,
      update: (text) => loop.emit({ type: "tool", phase: "update", callId: call.callId, tool: call.tool, text }),
    });
    const { failed: isError = false, ...output } = await Promise.race([run, rejectOnAbort(signal)]);
    return { ...output, isError };
  } catch (error) {
    return failed(messageOf(error));
  }
}

function storeResult(loop: LoopDeps, call: ToolCallPart, output: KeptOutput | string, isError = true): ToolMessage {
  const { text, images, files, sources, spill, labels, usage }: KeptOutput =
    typeof output === "string" ? { text: output } : output;
  const message: ToolMessage = {
    role: "tool",
    id: loop.newMessageId(),
    at: loop.now(),
    callId: call.callId,
    tool: call.tool,
    text,
    isError,
    ...(images && { images }),
    ...(files && { files }),
    ...(sources && { sources }),
    ...(usage?.costMicros !== undefined && { costMicros: usage.costMicros }),
    ...(spill && { spill }),
    ...(labels && labels.length > 0 && { labels }),
  };
  const noted = withRepetitionNote(message, call, loop.journal.context(), loop.repetition);
  loop.journal.returned(noted, usage);
  return noted;
}

/** Whether a call names a tool and has valid JSON arguments. */
function isRunnable(loop: LoopDeps, call: ToolCallPart): boolean {
  return toolNamed(loop, call) !== undefined && call.invalidArgs === undefined;
}

function toolNamed(loop: LoopDeps, call: ToolCallPart): AnyTool | undefined {
  return loop.tools.find((tool) => tool.name === call.tool);
}

function unknownTool(loop: LoopDeps, call: ToolCallPart): string {
  const why = RESERVED_TOOLS.get(call.tool) ?? CONDITIONAL_TOOLS.get(call.tool);
  const offered = loop.offers?.(loop.journal.context()) ?? loop.tools;
  const tools = offered.map((tool) => tool.name).join(", ");
  return [`There is no tool '${call.tool}'.`, ...(why === undefined ? [] : [why]), `Tools: ${tools}.`].join(" ");
}

/** Rejects when the signal aborts: a tool that ignores it must not block the run. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error("aborted"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/**
 * Calls the `beforeCall` hook once for each call, when its answer is first needed. An approved call runs with the
 * approved arguments, without the hook.
 */
function createVet({ hooks, journal }: LoopDeps): (call: ToolCallPart) => Promise<Vetted> {
  const known = new Map<string, Promise<Vetted>>();
  return (call) => {
    const args = journal.allowedArgs(call.callId);
    if (args !== undefined) return Promise.resolve({ args });
    if (hooks === undefined) return Promise.resolve({ args: call.args });
    const vetted = known.get(call.callId) ?? hooks.beforeCall(call);
    known.set(call.callId, vetted);
    return vetted;
  };
}
