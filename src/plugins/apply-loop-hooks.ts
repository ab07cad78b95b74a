import type { LoopHooks, ReturnedOutput, Vetted } from "../agent/loop-deps.ts";
import { MAX_REPLY_BYTES } from "../agent/reply-bounds.ts";
import { byteLength } from "../lib/text.ts";
import type { ToolCallPart } from "../models/message.ts";
import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import type { ResultPersistEvent } from "./hook-map.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** The events of the agent loop. */
const OF_LOOP = [
  "before_tool_call",
  "tool_result_persist",
  "after_tool_call",
  "before_compaction",
  "after_compaction",
] as const;

/** The loop hooks of a run; undefined if no plugin has one. */
export function applyLoopHooks(hooks: SessionHooks, runId: string): LoopHooks | undefined {
  if (!OF_LOOP.some((name) => hooks.has(name))) return undefined;
  return {
    ...applyToolHooks(hooks, runId),
    beforeCompaction: async (event) => void (await hooks.run("before_compaction", event, runId)),
    afterCompaction: (event) => hooks.later("after_compaction", () => event, runId),
  };
}

/** Applies the hooks of a run's tool calls. */
function applyToolHooks(hooks: SessionHooks, runId: string): Pick<LoopHooks, "beforeCall" | "returned" | "afterCall"> {
  return {
    beforeCall: (call) => vet(call, hooks, runId),
    returned: (call, output) => persisted(call, output, hooks, runId),
    afterCall({ callId, tool, args }, result) {
      hooks.later("after_tool_call", () => ({ callId, tool, args, result }), runId);
    },
  };
}

async function vet({ callId, tool, args }: ToolCallPart, hooks: SessionHooks, runId: string): Promise<Vetted> {
  const { event, merged, answers } = await hooks.run("before_tool_call", { callId, tool, args }, runId);
  const lines: AuditLine[] = [];
  let before = JSON.stringify(args);
  for (const { by, answer } of answers) {
    const line = (detail: string): AuditLine => ({ kind: "tool", runId, by, subject: tool, detail });
    if (answer.args !== undefined) {
      const after = JSON.stringify(answer.args);
      lines.push(await changeLine(line("arguments"), before, after));
      before = after;
    }
    if (answer.block === true) lines.push(line(`blocked: ${answer.reason ?? NO_REASON}`));
  }
  hooks.audit.write(lines);
  if (merged?.block === true) return { blocked: merged.reason ?? NO_REASON };
  if (byteLength(before) > MAX_REPLY_BYTES) return { blocked: "its arguments were made too large" };
  return { args: event.args };
}

const NO_REASON = "it is not allowed here";

async function persisted(
  { callId, tool, args }: ToolCallPart,
  output: ReturnedOutput,
  hooks: SessionHooks,
  runId: string,
): Promise<ReturnedOutput> {
  const { event, answers } = hooks.runSync("tool_result_persist", { callId, tool, args, ...output }, runId);
  const lines: AuditLine[] = [];
  let before: ResultPersisted = output;
  for (const { by, answer } of answers) {
    const after = { ...before, ...answer };
    const line: AuditLine = { kind: "tool", runId, by, subject: tool, detail: "result" };
    if (!isSame(before, after)) lines.push(await changeLine(line, before.text, after.text));
    before = after;
  }
  hooks.audit.write(lines);
  const { text, images, isError } = event;
  const { images: _, ...rest } = output;
  return { ...rest, text, isError, ...(images !== undefined && images.length > 0 && { images: [...images] }) };
}

type ResultPersisted = Pick<ResultPersistEvent, "text" | "images" | "isError">;

function isSame(one: ResultPersisted, other: ResultPersisted): boolean {
  const [a, b] = [one, other].map(({ text, images = [], isError }) => JSON.stringify([text, images, isError]));
  return a === b;
}
