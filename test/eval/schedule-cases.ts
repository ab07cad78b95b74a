import { isDeepStrictEqual } from "node:util";
import { heartbeatReply, stripHeartbeatToken } from "../../src/agent/heartbeat-reply.ts";
import { agentIds, heartbeatOf } from "../../src/config/agents.ts";
import { heartbeat, interval } from "../../src/config/automation-schema.ts";
import { mapHookRequest } from "../../src/inbound/hook-mapping.ts";
import { parseDuration } from "../../src/lib/duration.ts";
import { importJobs } from "../../src/migrate/openclaw/jobs.ts";
import { isActiveAt } from "../../src/schedule/active-hours.ts";
import { chooseRoute, heartbeatVisibility, type Route } from "../../src/schedule/heartbeat-target.ts";
import { isRepeated, type SentAlert } from "../../src/schedule/repeated-alert.ts";
import { nextOnGrid, nextRun, nextRuns, parseInstant, type Schedule } from "../../src/schedule/schedule.ts";
import { isEffectivelyEmpty } from "../../src/workspace/bootstrap.ts";
import { wholeSchema } from "../config/whole-schema.ts";

export const FILES = [
  "heartbeat.jsonl",
  "cron.jsonl",
  "cron-disagreements.jsonl",
  "every-at.jsonl",
  "imports.jsonl",
] as const;

/** One case. What `input`, `expect` and `answers` hold differs from rule to rule. */
export interface ScheduleCase {
  rule?: string;
  group?: string;
  name: string;
  input: any;
  expect: any;
  answers?: Record<string, unknown>;
  scored?: boolean;
}

interface Failure {
  file: string;
  rule: string;
  name: string;
  expected: unknown;
  got: unknown;
}

export interface ScheduleReport {
  cases: number;
  passed: number;
  failed: Failure[];
}

type Rule = (input: ScheduleCase["input"], expect: ScheduleCase["expect"]) => unknown;

/** Runs all cases. Of those on which libraries disagree, only an answer like none of them counts. */
export function evaluate(files: Readonly<Record<string, readonly ScheduleCase[]>>): ScheduleReport {
  const report: ScheduleReport = { cases: 0, passed: 0, failed: [] };
  for (const [file, cases] of Object.entries(files)) {
    for (const one of cases) {
      if (one.scored === false) continue;
      const rule = one.rule ?? one.group ?? "";
      const { isRight, expected, got } = file === "cron-disagreements.jsonl" ? disagreement(one) : judge(file, one);
      if (file !== "cron-disagreements.jsonl") report.cases++;
      if (!isRight) report.failed.push({ file, rule, name: one.name, expected, got });
      else if (file !== "cron-disagreements.jsonl") report.passed++;
    }
  }
  return report;
}

interface Judged {
  isRight: boolean;
  expected: unknown;
  got: unknown;
}

function judge(file: string, { rule = "", group = "", input, expect }: ScheduleCase): Judged {
  const run = file === "cron.jsonl" ? cron : group === "every" ? everyFromAnchor : (RULES[rule] ?? RULES[group]);
  if (run === undefined) return { isRight: false, expected: expect, got: `no rule ${rule || group}` };
  const got = run(input, expect);
  return { isRight: holds(expect, got), expected: expect, got };
}

function disagreement({ input, answers = {} }: ScheduleCase): Judged {
  const got = cron(input, {});
  const isRight = Object.values(answers).some((answer) => isSameAnswer(answer, got));
  return { isRight, expected: answers, got };
}

function isSameAnswer(answer: unknown, got: unknown): boolean {
  return holds(Array.isArray(answer) ? { next: answer } : { valid: false }, got);
}

function cron({ expr, tz, from }: { expr: string; tz: string; from: string }, _: unknown): unknown {
  return orRefusal(() => ({ next: nextRuns({ kind: "cron", expr, tz }, Date.parse(from), tz, 5).map(iso) }));
}

const RULES: Readonly<Record<string, Rule>> = {
  empty: ({ content }) => ({ empty: content !== null && isEffectivelyEmpty(content) }),
  strip: ({ text, mode, ackMaxChars }) => stripHeartbeatToken(text, mode, ackMaxChars),
  ack: ({ text, ackMaxChars }) => ({ acknowledged: !heartbeatReply(text, 0, ackMaxChars).deliver }),
  reply: ({ text, files, ackMaxChars }) => heartbeatReply(text, files, ackMaxChars),
  active_hours: ({ activeHours, userTimezone, at }) => ({
    active: isActiveAt(activeHours, userTimezone, Date.parse(at)),
  }),
  duplicate({ steps }: { steps: { at: string; text: string; files: number }[] }) {
    let last: SentAlert | undefined;
    const sent = steps.map(({ at, text, files }) => {
      const now = Date.parse(at);
      const isSent = !isRepeated(last, { text, files }, now);
      if (isSent) last = { text, at: now };
      return isSent;
    });
    return { sent };
  },
  agents({ config }) {
    const parsed = wholeSchema.parse(config);
    const beat = agentIds(parsed).flatMap((id) => {
      const block = heartbeatOf(parsed, id);
      return block === undefined ? [] : [{ id, everyMs: parseDuration(block.every), ...block }];
    });
    return { beat: beat.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  },
  every({ every }) {
    const valid = interval.safeParse(every).success;
    const ms = valid ? parseDuration(every) : undefined;
    return { valid, intervalMs: ms === 0 ? null : (ms ?? null), ...(ms === 0 && { off: true }) };
  },
  block: ({ heartbeat: block }) => ({ valid: heartbeat.safeParse(block).success }),
  target({ heartbeat: choice, last, owners, channels }) {
    const isGroup = (channel: string, id: string) =>
      ["telegram", "slack"].includes(channel) && (id.startsWith("-") || id.startsWith("C"));
    const kindOf = (channel: string, id: string): Route["kind"] => (isGroup(channel, id) ? "group" : "direct");
    return chooseRoute(choice, { last: last ?? undefined, owners, channels, kindOf });
  },
  visibility: ({ channels, channel, accountId }) => heartbeatVisibility(channels, channel, accountId),
  at: ({ at, tz = "UTC" }) => orRefusal(() => ({ instant: iso(parseInstant(at, tz)) })),
  jobs({ file }, { come }) {
    const imported = importJobs(file, "UTC", Date.parse("2026-03-02T12:00:00Z"));
    const jobs = imported.come.map(({ id, job }, at) => {
      const from = come[at]?.nextAfter?.from;
      const next = from === undefined ? undefined : nextRun(job.schedule, Date.parse(from), "UTC");
      return {
        id,
        ...job,
        schedule: withInstant(job.schedule),
        nextAfter: { from, at: next === undefined ? null : iso(next) },
      };
    });
    return { come: jobs, report: imported.report };
  },
  hooks: ({ hooks, request }) => mapHookRequest(hooks, request),
};

function everyFromAnchor({ everyMs, anchor, from }: { everyMs: number; anchor: string; from: string }): unknown {
  const next: number[] = [];
  for (let at = Date.parse(from); next.length < 5; next.push(at)) at = nextOnGrid(everyMs, Date.parse(anchor), at);
  return { next: next.map(iso) };
}

function withInstant(schedule: Schedule): Schedule {
  return schedule.kind === "at" ? { ...schedule, at: iso(parseInstant(schedule.at, "UTC")) } : schedule;
}

function orRefusal(run: () => object): unknown {
  try {
    return { valid: true, ...run() };
  } catch {
    return { valid: false };
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Whether everything that is expected is there; more may be. Instants are compared as instants, reasons not at all. */
function holds(expected: unknown, got: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(got) && got.length === expected.length && expected.every((item, at) => holds(item, got[at]));
  }
  if (typeof expected === "object" && expected !== null) {
    return Object.entries(expected).every(([key, value]) => {
      const own = (got as Record<string, unknown> | undefined)?.[key];
      if (key === "why") return typeof own === "string" && own !== "";
      if (key === "reason" || value === "(any)") return true;
      return holds(value, own);
    });
  }
  if (typeof expected === "string" && typeof got === "string" && /^\d{4}-\d{2}-\d{2}T/.test(expected)) {
    return Date.parse(expected) === Date.parse(got);
  }
  return isDeepStrictEqual(expected, got);
}
