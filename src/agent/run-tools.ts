import { z } from "zod";
import { messageOf } from "../lib/errors.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";
import type { Loop } from "./loop.ts";
import type { AnyTool, ToolOutput } from "./tool.ts";

/**
 * Runs the open calls of one reply and stores the result of each as soon as it is there. Calls are launched in the
 * reply's order, neighbours side by side where their tools allow it. A call that an earlier incarnation launched is run again only where its tool says that twice is the
 * same as once; otherwise the model is told that its effect is unknown.
 */
export async function runTools(loop: Loop, calls: readonly ToolCallPart[], signal: AbortSignal): Promise<void> {
  for (const batch of batches(loop, calls)) {
    if (signal.aborted) return;
    await runBatch(loop, batch, signal);
  }
}

/** Cuts calls into groups that may run at once: neighbours that are not sequential share one. */
function batches(loop: Loop, calls: readonly ToolCallPart[]): ToolCallPart[][] {
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

async function runBatch(loop: Loop, batch: readonly ToolCallPart[], signal: AbortSignal): Promise<void> {
  const unknown = batch.filter((call) => loop.journal.wasLaunched(call.callId) && toolOf(loop, call)?.replay !== "safe");
  const launched = batch.filter((call) => !unknown.includes(call));
  for (const call of unknown) {
    settle(loop, call, "interrupted: it may or may not have taken effect", true);
  }
  if (launched.length === 0) return;
  loop.journal.launching(launched);
  await Promise.all(
    launched.map(async (call) => {
      const outcome = await attempt(loop, call, signal);
      if (!signal.aborted) settle(loop, call, outcome.output, outcome.isError);
    }),
  );
}

async function attempt(
  loop: Loop,
  call: ToolCallPart,
  signal: AbortSignal,
): Promise<{ output: ToolOutput | string; isError: boolean }> {
  const tool = toolOf(loop, call);
  if (tool === undefined) return { output: unknownTool(loop, call), isError: true };
  if (call.invalidArgs !== undefined) {
    return { output: `The arguments are not a JSON object: ${call.invalidArgs.slice(0, 200)}`, isError: true };
  }
  const args = tool.parameters.safeParse(call.args);
  if (!args.success) return { output: `Wrong arguments.\n${z.prettifyError(args.error)}`, isError: true };
  try {
    const run = tool.run(args.data, {
      callId: call.callId,
      signal,
      now: loop.now,
      update: (text) => loop.emit({ type: "tool", phase: "update", callId: call.callId, tool: call.tool, text }),
    });
    return { output: await Promise.race([run, aborted(signal)]), isError: false };
  } catch (error) {
    return { output: messageOf(error), isError: true };
  }
}

function settle(loop: Loop, call: ToolCallPart, output: ToolOutput | string, isError: boolean): void {
  const { text, images } = typeof output === "string" ? { text: output, images: undefined } : output;
  const message: ToolMessage = {
    role: "tool",
    id: loop.newMessageId(),
    at: loop.now(),
    callId: call.callId,
    tool: call.tool,
    text,
    isError,
    ...(images && { images }),
  };
  loop.journal.returned(message);
}

function toolOf(loop: Loop, call: ToolCallPart): AnyTool | undefined {
  return loop.tools.find((tool) => tool.name === call.tool);
}

function unknownTool(loop: Loop, call: ToolCallPart): string {
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
