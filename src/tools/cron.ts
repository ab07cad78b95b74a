import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { parseDuration } from "../lib/duration.ts";
import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";

/** The agent's jobs, for its tool. Every method throws an Error that names the field and the fix. */
export interface JobsPort {
  list(): Promise<JobLine[]>;
  add(job: JsonObject): Promise<JobLine>;
  update(id: string, change: JsonObject): Promise<JobLine>;
  remove(id: string): Promise<void>;
  run(id: string): Promise<void>;
  /** The last runs of a job, the latest first. */
  runs(id: string): Promise<readonly object[]>;
}

/** Most characters of the name that a job gets from its words. */
const MAX_NAME_CHARS = 60;

/** A job as the model sees it. */
export interface JobLine {
  id: string;
  name: string;
  enabled: boolean;
  schedule: object;
  /** The next runs, local. */
  next: string[];
  zone: string;
  lastStatus: string | null;
  lastReason: string | null;
}

const parameters = z.strictObject({
  action: z.enum(["list", "add", "update", "remove", "run", "status"]),
  jobId: z.string().max(100).optional().describe("For update, remove, run, status"),
  name: z.string().max(200).optional().describe("A few words for the list"),
  schedule: z
    .strictObject({
      kind: z.enum(["at", "every", "cron"]),
      at: z.string().optional().describe("at: ISO 8601 with offset, local time, or a span from now such as 2m"),
      everyMs: z.int().optional(),
      expr: z.string().optional().describe("cron: five fields"),
      tz: z.string().optional().describe("IANA zone; the user's where absent"),
    })
    .optional(),
  payload: z
    .strictObject({
      kind: z.enum(["systemEvent", "agentTurn"]),
      text: z.string().optional().describe("systemEvent: a reminder, as you will read it then"),
      message: z.string().optional().describe("agentTurn: a task, with all that it needs to know"),
    })
    .optional(),
  delivery: z
    .strictObject({
      mode: z.enum(["announce", "webhook", "none"]),
      channel: z.string().optional(),
      to: z.string().optional(),
    })
    .optional()
    .describe("Where the result goes; here where absent"),
  enabled: z.boolean().optional().describe("false pauses it"),
});

type Args = z.infer<typeof parameters>;

/** Sets, changes and shows what the agent does later. Only owners have it. */
export function cronTool(jobs: JobsPort): Tool<Args> {
  return defineTool({
    name: "cron",
    summary: "Set reminders and recurring jobs, list, change and remove them",
    description:
      "Reminders and recurring work. Use systemEvent to remind somebody, agentTurn for a task that you do then in " +
      "a session of its own. Work out the time yourself from that of the message; check the next runs in the " +
      "answer and tell the user. list first where you need a jobId.",
    parameters,
    replay: "unsafe",
    sequential: true,
    effects: ({ action, name, payload, delivery }) => {
      if (action !== "add" && action !== "update") return [];
      const shown = [name, payload?.text ?? payload?.message].filter((part) => part !== undefined).join("\n");
      const { mode, channel, to } = delivery ?? {};
      const isElsewhere = mode === "announce" && channel !== undefined && to !== undefined;
      return [
        { kind: "persist", what: "a job", shown },
        ...(isElsewhere ? [{ kind: "send", to: `${channel}:${to}`, shown } as const] : []),
      ];
    },
    approval: ({ action, delivery }) =>
      ["add", "update"].includes(action) && delivery?.mode === "webhook"
        ? `Let a job post what it says to ${delivery.to ?? "an address"}?`
        : undefined,
    async run(args, { now }) {
      const { action, jobId } = args;
      if (action === "list") return told({ jobs: await jobs.list() });
      if (action === "add") return told({ added: await jobs.add(fieldsOf(args, now())) });
      if (jobId === undefined) throw new Error(`jobId: say which job to ${action}; list has them.`);
      if (action === "update") return told({ changed: await jobs.update(jobId, fieldsOf(args, now())) });
      if (action === "status") return told({ jobId, runs: await jobs.runs(jobId) });
      if (action === "run") {
        await jobs.run(jobId);
        return told({ started: jobId });
      }
      await jobs.remove(jobId);
      return told({ removed: jobId });
    },
  });
}

function told(answer: object): { text: string } {
  return { text: JSON.stringify(answer) };
}

/** What a call gives of a job. A span from now becomes an instant. */
function fieldsOf({ action, jobId: _, schedule, name, payload, ...rest }: Args, now: number): JsonObject {
  const span = schedule?.kind === "at" && schedule.at !== undefined ? parseSpan(schedule.at) : undefined;
  const at = span === undefined ? {} : { at: new Date(now + span).toISOString() };
  const said = payload?.text ?? payload?.message ?? "";
  const title = name ?? (action === "add" ? head(said.replace(/\s+/g, " ").trim(), MAX_NAME_CHARS) : undefined);
  const fields = {
    ...(title !== undefined && title !== "" && { name: title }),
    ...(schedule && { schedule: { ...schedule, ...at } }),
    ...(payload && { payload }),
    ...rest,
  };
  return JSON.parse(JSON.stringify(fields)) as JsonObject;
}

/** A span of time with its unit, such as `2m` or `in 1h30m`. */
export function parseSpan(text: string): number | undefined {
  const span = text.trim().replace(/^(?:in|\+)\s*/i, "");
  return /[a-z]$/i.test(span) ? parseDuration(span) : undefined;
}
