import { toolSchema } from "../../../src/agent/tool.ts";
import { createModelResolver } from "../../../src/models/index.ts";
import type { Model, ModelReply } from "../../../src/models/model.ts";
import { priced } from "../../../src/models/price.ts";
import { quantile } from "../../bench/statistics.ts";
import { allTools } from "./check-tools.ts";
import { TOOL_TASKS, type ToolTask } from "./tool-tasks.ts";

const SYSTEM =
  "You are a personal assistant. Today is Monday, 2026-11-23, 20:15 in Europe/Berlin. Do what the user asks with the " +
  "tools that you have. Call the first tool that you need at once.";

export interface ModelReport {
  model: string;
  tasks: number;
  /** Tasks whose first call is of a right tool. */
  picked: number;
  /** Tasks whose first call has arguments that the tool takes, besides. */
  done: number;
  medianMs: number;
  /** Estimated; absent where no price is known. */
  costUsd?: number;
  failed: string[];
}

/**
 * Asks a model for its first call of each task, one task after another.
 * @param only a part of the ids of the tasks to ask
 * @param secret the key of a provider, by its variable
 * @throws IsopodError `not_configured` with what to set
 */
export async function askModel(
  ref: string,
  only: string,
  secret: (name: string) => string | undefined,
): Promise<ModelReport> {
  const auth = { profiles: {}, order: {} };
  const model = createModelResolver({ providers: {}, auth, secret, fetch }).resolve(ref);
  const tasks = TOOL_TASKS.filter(({ id }) => id.includes(only));
  const report: ModelReport = { model: ref, tasks: tasks.length, picked: 0, done: 0, medianMs: 0, failed: [] };
  const times: number[] = [];
  let micros: number | undefined;
  for (const task of tasks) {
    const before = performance.now();
    const reply = await firstReply(model, task);
    times.push(performance.now() - before);
    const { costMicros } = priced(reply.usage, model.price);
    if (costMicros !== undefined) micros = (micros ?? 0) + costMicros;
    const fault = judge(task, reply);
    if (fault?.isPicked !== false) report.picked += 1;
    if (fault === undefined) report.done += 1;
    else report.failed.push(`${task.id}: ${fault.why}`);
  }
  const medianMs = times.length === 0 ? 0 : Math.round(quantile(times, 0.5));
  return { ...report, medianMs, ...(micros !== undefined && { costUsd: micros / 1_000_000 }) };
}

async function firstReply(model: Model, { say }: ToolTask): Promise<ModelReply> {
  const tools = allTools().map(toolSchema);
  const request = {
    system: { stable: SYSTEM, dynamic: "" },
    messages: [{ role: "user" as const, id: "msg_1", at: 0, text: say }],
    ...{ tools, thinking: "off" as const, maxOutputTokens: 2_000 },
    loadFile: async () => undefined,
  };
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === "end") return event.reply;
  }
  throw new Error(`${model.ref} gave no reply.`);
}

/** What is wrong with a first call; undefined if nothing is. */
function judge(
  { tools: right }: ToolTask,
  { parts, error }: ModelReply,
): { isPicked: boolean; why: string } | undefined {
  if (error !== undefined) return { isPicked: false, why: error.message };
  const call = parts.find((part) => part.type === "tool-call");
  if (call === undefined) return { isPicked: false, why: "no call" };
  if (!right.includes(call.tool)) return { isPicked: false, why: `${call.tool} instead of ${right.join(" or ")}` };
  const tool = allTools().find(({ name }) => name === call.tool);
  const isTaken = call.invalidArgs === undefined && tool?.parameters.safeParse(call.args).success === true;
  return isTaken ? undefined : { isPicked: true, why: `${call.tool} with ${JSON.stringify(call.args).slice(0, 300)}` };
}
