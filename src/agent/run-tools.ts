import { z } from "zod";
import { messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";
import type { ApprovalQuestion } from "./journal.ts";
import type { LoopDeps, ReturnedOutput, Vetted } from "./loop-deps.ts";
import { notingRepetition } from "./loop-detection.ts";
import type { AnyTool, KeptOutput } from "./tool.ts";

/** What a model is told of a call whose end nobody saw. */
export const UNKNOWN_EFFECT = "interrupted: it may or may not have taken effect";
/** What a model is told of a call that was not launched, because somebody has spoken. */
export const SKIPPED = "skipped: a new message arrived";

/**
 * Runs the open calls of one reply and stores the result of each as soon as it is there. Calls are launched in the
 * reply's order, neighbours side by side where their tools allow it.
 *
 * Nothing is launched before a person has spoken on every call that needs it; then the answer is `paused`. Once a new
 * message has come, calls that were not launched are skipped. A call that an earlier incarnation launched is run again
 * only where its tool says that twice is the same as once; otherwise the model is told that its effect is unknown.
 */
export async function runTools(
  loop: LoopDeps,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): Promise<"done" | "paused"> {
  const vet = vetting(loop);
  const fresh = calls.filter((call) => !loop.journal.wasLaunched(call.callId));
  const questions = loop.journal.hasPendingInput() ? [] : await questionsOn(loop, fresh, vet);
  if (signal.aborted) return "done";
  if (questions.length > 0) {
    loop.journal.pausing(questions);
    return "paused";
  }
  for (const batch of batches(loop, calls)) {
    if (signal.aborted) break;
    await runBatch(loop, batch, vet, signal);
  }
  return "done";
}

type Vet = (call: ToolCallPart) => Promise<Vetted>;

/** The calls on which a person has to speak and has not, with the arguments that they would be launched with. */
async function questionsOn(loop: LoopDeps, calls: readonly ToolCallPart[], vet: Vet): Promise<ApprovalQuestion[]> {
  const questions: ApprovalQuestion[] = [];
  for (const call of calls) {
    const tool = toolOf(loop, call);
    if (tool?.approval === undefined || loop.allowedTools.includes(tool.name)) continue;
    if (loop.journal.verdictOn(call.callId) !== undefined) continue;
    const vetted = await vet(call);
    if ("blocked" in vetted) continue;
    const args = tool.parameters.safeParse(vetted.args);
    const question = args.success ? tool.approval(args.data) : undefined;
    if (question !== undefined) questions.push({ call: { ...call, args: vetted.args }, question });
  }
  return questions;
}

/** Cuts calls into groups that may run at once: neighbours that are not sequential share one. */
function batches(loop: LoopDeps, calls: readonly ToolCallPart[]): ToolCallPart[][] {
  const groups: ToolCallPart[][] = [];
  let open: ToolCallPart[] | undefined;
  for (const call of calls) {
    const sequential = toolOf(loop, call)?.sequential ?? false;
    if (sequential || open === undefined) {
      groups.push([call]);
      open = sequential ? undefined : groups.at(-1);
    } else {
      open.push(call);
    }
  }
  return groups;
}

async function runBatch(loop: LoopDeps, batch: readonly ToolCallPart[], vet: Vet, signal: AbortSignal): Promise<void> {
  const { journal, hooks } = loop;
  const skip = journal.hasPendingInput();
  const launched: { call: ToolCallPart; args: JsonObject }[] = [];
  for (const call of batch) {
    const again = journal.wasLaunched(call.callId);
    if (again && toolOf(loop, call)?.replay !== "safe") settle(loop, call, UNKNOWN_EFFECT);
    else if (skip && !again) settle(loop, call, SKIPPED);
    else if (journal.verdictOn(call.callId) === "deny") settle(loop, call, "denied: the owner did not allow this call");
    else if (!isRunnable(loop, call)) launched.push({ call, args: call.args });
    else {
      const vetted = await vet(call);
      if ("args" in vetted) launched.push({ call, args: vetted.args });
      else settle(loop, call, `blocked: ${vetted.blocked}`);
    }
  }
  if (launched.length === 0 || signal.aborted) return;
  journal.launching(launched.map(({ call, args }) => ({ ...call, args })));
  await Promise.all(
    launched.map(async ({ call, args }) => {
      const run = { ...call, args };
      const output = await attempt(loop, run, signal);
      const { isError, ...returned } = (await hooks?.returned(run, output)) ?? output;
      const kept = await loop.keep(returned);
      if (signal.aborted) return;
      const result = settle(loop, call, kept, isError);
      hooks?.afterCall(run, result);
    }),
  );
}

async function attempt(loop: LoopDeps, call: ToolCallPart, signal: AbortSignal): Promise<ReturnedOutput> {
  const failed = (text: string) => ({ text, isError: true });
  const tool = toolOf(loop, call);
  if (tool === undefined) return failed(unknownTool(loop, call));
  if (call.invalidArgs !== undefined) {
    return failed(`The arguments are not a JSON object: ${call.invalidArgs.slice(0, 200)}`);
  }
  const args = tool.parameters.safeParse(call.args);
  if (!args.success) return failed(`Wrong arguments.\n${z.prettifyError(args.error)}`);
  try {
    const run = tool.run(args.data, {
      callId: call.callId,
      signal,
      now: loop.now,
      update: (text) => loop.emit({ type: "tool", phase: "update", callId: call.callId, tool: call.tool, text }),
    });
    return { ...(await Promise.race([run, aborted(signal)])), isError: false };
  } catch (error) {
    return failed(messageOf(error));
  }
}

function settle(loop: LoopDeps, call: ToolCallPart, output: KeptOutput | string, isError = true): ToolMessage {
  const { text, images, spill }: KeptOutput = typeof output === "string" ? { text: output } : output;
  const message: ToolMessage = {
    role: "tool",
    id: loop.newMessageId(),
    at: loop.now(),
    callId: call.callId,
    tool: call.tool,
    text,
    isError,
    ...(images && { images }),
    ...(spill && { spill }),
  };
  const noted = notingRepetition(message, call, loop.journal.context(), loop.repetition);
  loop.journal.returned(noted);
  return noted;
}

/** Whether there is anything to run in a call. */
function isRunnable(loop: LoopDeps, call: ToolCallPart): boolean {
  return toolOf(loop, call) !== undefined && call.invalidArgs === undefined;
}

function toolOf(loop: LoopDeps, call: ToolCallPart): AnyTool | undefined {
  return loop.tools.find((tool) => tool.name === call.tool);
}

function unknownTool(loop: LoopDeps, call: ToolCallPart): string {
  return `There is no tool '${call.tool}'. Tools: ${loop.tools.map((tool) => tool.name).join(", ")}.`;
}

/** Rejects when the signal aborts: a tool that does not listen must not hold the run. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error("aborted"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/**
 * Asks once about each call, whenever that is first wanted. A call that a person allowed runs with what they saw, and
 * nobody is asked about it again.
 */
function vetting({ hooks, journal }: LoopDeps): (call: ToolCallPart) => Promise<Vetted> {
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
