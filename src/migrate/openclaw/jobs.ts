import { z } from "zod";
import { messageOf } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { type JobFields, jobFields } from "../../schedule/job.ts";
import { nextRun } from "../../schedule/schedule.ts";

/** A job of OpenClaw's `jobs.json`, in the form that Isopod stores. */
export interface ImportedJob {
  id: string;
  job: JobFields;
}

/** What of a `jobs.json` can be taken over, and what cannot and why. */
export interface ImportedJobs {
  come: ImportedJob[];
  report: { id: string; why: string }[];
}

type Fields = Readonly<Record<string, unknown>>;

const record = z.record(z.string(), z.unknown());

/**
 * Reads the jobs of OpenClaw, also in the forms of its older versions. A job that cannot be taken over is reported and
 * does not stop the others.
 * @param zone the user's, in which schedules without a zone are checked
 */
export function importJobs(file: unknown, zone: string, now: number): ImportedJobs {
  const jobs = record.safeParse(file).data?.jobs;
  const imported: ImportedJobs = { come: [], report: [] };
  for (const [at, entry] of (Array.isArray(jobs) ? jobs : []).entries()) {
    const fields = record.safeParse(entry).data ?? {};
    const id = identify(fields, imported.come) ?? newId("job", now + at);
    const read = readJob(fields, zone);
    if ("why" in read) imported.report.push({ id: shownId(fields, at), why: read.why });
    else imported.come.push({ id, job: read });
  }
  return imported;
}

function identify({ id, jobId }: Fields, taken: readonly ImportedJob[]): string | undefined {
  const given = text(id) ?? text(jobId);
  return given !== undefined && taken.every((job) => job.id !== given) ? given : undefined;
}

function shownId({ id, jobId, name }: Fields, at: number): string {
  return text(id) ?? text(jobId) ?? text(name) ?? `job ${at + 1}`;
}

function readJob(fields: Fields, zone: string): JobFields | { why: string } {
  const payload = readPayload(record.safeParse(fields.payload).data ?? {});
  if (payload === undefined) {
    return {
      why: `payload: ${JSON.stringify(record.safeParse(fields.payload).data?.kind ?? null)} has no counterpart`,
    };
  }
  const schedule = readSchedule(record.safeParse(fields.schedule).data ?? {}, fields.createdAtMs);
  if (schedule === undefined) return { why: "schedule: it names no time, interval or cron expression" };
  const isTask = payload.kind === "agentTurn";
  const sessionTarget = word(fields.sessionTarget);
  const delivery = readDelivery(fields);
  const parsed = jobFields.safeParse({
    name: text(fields.name)?.trim() || "Imported job",
    ...(text(fields.description) !== undefined && { description: text(fields.description) }),
    ...(text(fields.agentId) !== undefined && { agentId: text(fields.agentId) }),
    enabled: fields.enabled !== false && word(fields.enabled) !== "false" && word(fields.enabled) !== "no",
    schedule,
    sessionTarget: sessionTarget ?? (isTask ? "isolated" : "main"),
    wakeMode: word(fields.wakeMode) ?? "now",
    payload,
    ...(delivery ?? (isTask && { delivery: { mode: "announce" } })),
    ...(typeof fields.deleteAfterRun === "boolean" && { deleteAfterRun: fields.deleteAfterRun }),
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { why: `${issue?.path.join(".") ?? "job"}: ${issue?.message ?? "cannot be read"}` };
  }
  try {
    nextRun(parsed.data.schedule, 0, zone);
    return parsed.data;
  } catch (error) {
    return { why: `schedule: ${messageOf(error)}` };
  }
}

/** In older versions the kind follows from the fields, numbers are text, and `cron` is the expression. */
function readSchedule(fields: Fields, createdAtMs: unknown): Fields | undefined {
  const kind = word(fields.kind);
  const atMs = wholeNumber(fields.atMs);
  const at = text(fields.at) ?? (atMs === undefined ? undefined : new Date(atMs).toISOString());
  const everyMs = wholeNumber(fields.everyMs);
  const expr = text(fields.expr) ?? text(fields.cron);
  if ((kind === "at" || kind === undefined) && at !== undefined) return { kind: "at", at: isoTime(at) };
  if ((kind === "every" || kind === undefined) && everyMs !== undefined) {
    const anchorMs = wholeNumber(fields.anchorMs) ?? wholeNumber(createdAtMs);
    return { kind: "every", everyMs, ...(anchorMs !== undefined && { anchorMs }) };
  }
  if ((kind === "cron" || kind === undefined) && expr !== undefined) {
    const tz = text(fields.tz);
    return { kind: "cron", expr, ...(tz !== undefined && { tz }) };
  }
  return undefined;
}

/** An instant as OpenClaw's own code writes it; any other text as it is. */
function isoTime(at: string): string {
  const isExact = /[Zz]$|[+-]\d{2}:?\d{2}$/.test(at.trim());
  const instant = isExact ? Date.parse(at) : Number.NaN;
  return Number.isNaN(instant) ? at : new Date(instant).toISOString();
}

function readPayload(fields: Fields): Fields | undefined {
  const kind = word(fields.kind) ?? (fields.message === undefined ? "systemevent" : "agentturn");
  if (kind === "systemevent") return { kind: "systemEvent", text: fields.text ?? fields.message };
  if (kind !== "agentturn") return undefined;
  const timeoutSeconds = wholeNumber(fields.timeoutSeconds);
  return {
    kind: "agentTurn",
    message: fields.message ?? fields.text,
    ...(text(fields.model) !== undefined && { model: text(fields.model) }),
    ...(text(fields.thinking) !== undefined && { thinking: text(fields.thinking) }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(typeof fields.lightContext === "boolean" && { lightContext: fields.lightContext }),
  };
}

/** Of the job, or of its payload where older versions had it. */
function readDelivery({ delivery, payload }: Fields): { delivery: Fields } | undefined {
  const own = record.safeParse(delivery).data;
  const old = record.safeParse(payload).data ?? {};
  if (own !== undefined) return { delivery: deliveryFields(own, word(own.mode) ?? "announce", own.bestEffort) };
  if (old.deliver === undefined && old.channel === undefined && old.provider === undefined && old.to === undefined) {
    return undefined;
  }
  return { delivery: deliveryFields(old, old.deliver === false ? "none" : "announce", old.bestEffortDeliver) };
}

function deliveryFields(fields: Fields, mode: string, bestEffort: unknown): Fields {
  const channel = text(fields.channel) ?? text(fields.provider);
  const kept = { channel, to: text(fields.to), accountId: text(fields.accountId), threadId: text(fields.threadId) };
  const named = Object.entries(kept).filter(([, value]) => value !== undefined);
  return {
    mode: mode === "deliver" ? "announce" : mode,
    ...Object.fromEntries(named),
    ...(typeof bestEffort === "boolean" && { bestEffort }),
  };
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "string" ? value.trim().toLowerCase() || undefined : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}
