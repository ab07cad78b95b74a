import { Cron } from "croner";
import { instantAt, isZone } from "../lib/zone.ts";

/** When a job runs, in OpenClaw's shape. Instants are milliseconds since the epoch, or ISO 8601 where they are text. */
export type Schedule =
  /** Once. */
  | { kind: "at"; at: string }
  /** At a fixed distance, counted from an instant. */
  | { kind: "every"; everyMs: number; anchorMs?: number | undefined }
  /** By a cron expression of five to seven fields, in an IANA zone; the user's where it is absent. */
  | { kind: "cron"; expr: string; tz?: string | undefined };

/** What is wrong with a schedule, and what to write instead. */
export class ScheduleError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

const WITH_OFFSET = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/;

/**
 * The instant of an ISO 8601 time. Without an offset it is a local time of `zone`: the first of two equal ones.
 * @throws ScheduleError for another text, a date that does not exist, and a local time that the clocks leave out
 */
export function parseInstant(text: string, zone: string): number {
  const written = text.trim();
  const exact = WITH_OFFSET.exec(written);
  if (exact !== null) {
    const [, date = "", time = "", seconds = "00", offset = ""] = exact;
    const at = Date.parse(`${date}T${time}:${seconds}${offset.toUpperCase()}`);
    if (Number.isFinite(at) && existsOn(date)) return at;
    throw noTime(text);
  }
  const local = LOCAL.exec(written);
  if (local === null) throw noTime(text);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = local
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (!existsOn(written.slice(0, 10)) || hour > 23 || minute > 59 || second > 59) throw noTime(text);
  const at = instantAt(Date.UTC(year, month - 1, day, hour, minute, second), zone);
  if (at !== undefined) return at;
  throw new ScheduleError(
    "at",
    `${text} does not exist in ${zone}: the clocks are put forward then. Use a later time.`,
  );
}

function noTime(text: string): ScheduleError {
  const shown = JSON.stringify(text.slice(0, 80));
  return new ScheduleError("at", `${shown} is no time: use ISO 8601, such as 2026-11-23T09:00:00+01:00.`);
}

/** Whether a calendar has this date. */
function existsOn(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/**
 * The first run after an instant; undefined if there is none. Where clocks change, croner's rules hold: a time that is
 * left out runs when the gap ends, and a fixed time that comes twice runs once.
 * @param zone the user's, for a schedule that names none
 * @throws ScheduleError if the schedule cannot be understood
 */
export function nextRun(schedule: Schedule, after: number, zone: string): number | undefined {
  if (schedule.kind === "at") {
    const at = parseInstant(schedule.at, zone);
    return at > after ? at : undefined;
  }
  if (schedule.kind === "every") return nextOnGrid(schedule.everyMs, schedule.anchorMs ?? 0, after);
  return parseCron(schedule.expr, schedule.tz ?? zone)
    .nextRun(new Date(after))
    ?.getTime();
}

/** The next runs after an instant, at most `count`. @throws like `nextRun` */
export function nextRuns(schedule: Schedule, after: number, zone: string, count: number): number[] {
  const runs: number[] = [];
  for (let at = nextRun(schedule, after, zone); at !== undefined && runs.length < count; ) {
    runs.push(at);
    at = nextRun(schedule, at, zone);
  }
  return runs;
}

/** The first instant after another on the grid of an interval. */
export function nextOnGrid(everyMs: number, anchorMs: number, after: number): number {
  if (after < anchorMs) return anchorMs;
  return anchorMs + (Math.floor((after - anchorMs) / everyMs) + 1) * everyMs;
}

/** @throws ScheduleError for a zone or an expression that croner does not take */
function parseCron(expr: string, timezone: string): Cron {
  if (!isZone(timezone)) {
    throw new ScheduleError(
      "tz",
      `${JSON.stringify(timezone)} is no time zone: use an IANA name, such as Europe/Berlin.`,
    );
  }
  try {
    return new Cron(expr, { timezone, paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ScheduleError("expr", `${JSON.stringify(expr)} is no cron expression: ${why.slice(0, 200)}`);
  }
}
