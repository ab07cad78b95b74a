import type { jsonReport } from "./report.ts";

type Report = ReturnType<typeof jsonReport>;

/** A figure and the most (or the least) that it may be. */
interface Target {
  title: string;
  value: number | null | undefined;
  target: number;
  atLeast?: true;
}

/** The figures that have a target, as a table in Markdown. */
export function markdownReport(report: Report): string {
  const rows = targetsOf(report).map(({ title, value, target, atLeast }) => {
    return `| ${title} | ${value ?? "unknown"} | ${atLeast ? "at least" : "at most"} ${target} |`;
  });
  return ["| figure | measured | target |", "|---|---|---|", ...rows].join("\n");
}

function targetsOf(report: Report): Target[] {
  const { ratio, deltas, growth, perTurn, perTurnAfterMinute } = report;
  const lengths = Object.values(growth);
  const overShortest = (lengths.at(-1) ?? Number.NaN) - (lengths[0] ?? Number.NaN);
  return [
    { title: "turn end, over the durable floor", value: ratio.turnEnd, target: 1.5 },
    { title: "first model request, over the durable floor", value: ratio.firstModelRequest, target: 1.8 },
    { title: "first token, over the durable floor", value: ratio.firstToken, target: 1.6 },
    { title: "turns a second, over the durable floor", value: ratio.turnsPerSecond, target: 0.5, atLeast: true },
    { title: "answer of 500 deltas, over the durable floor", value: deltas[500]?.ratio, target: 1.4 },
    { title: "answer of 5,000 deltas, over the durable floor", value: deltas[5000]?.ratio, target: 1.2 },
    ...Object.entries(report.interfaceCpuMs).map(([name, value]) => {
      return { title: `CPU of a delta over ${name}, ms`, value, target: 0.1 };
    }),
    { title: "first turn of a session, over the durable floor", value: report.firstTurn.ratio, target: 3 },
    { title: "1,000 messages in the transcript over 10, ms", value: Math.round(overShortest * 100) / 100, target: 3 },
    { title: "SQL statements of a turn", value: report.statementsPerTurn, target: 16 },
    { title: "transactions before the model's request", value: perTurn.transactionsBeforeModel, target: 2 },
    { title: "R2 requests waited for before the model", value: report.r2BeforeModel, target: 0 },
    { title: "D1 requests waited for before the model", value: report.d1BeforeModel, target: 0 },
    { title: "R2 and D1 after more than a minute, steps", value: perTurnAfterMinute.remoteStepsBeforeModel, target: 1 },
    { title: "labels of a private turn, over writing it as JSON", value: report.labels.overJson, target: 0.05 },
    { title: "evaluated at start, compressed, KiB", value: report.mainKiB, target: 1150 },
    { title: "all modules, compressed, KiB", value: report.bundleKiB, target: 2600 },
    { title: "CPU of a start, ms", value: report.startupCpuMs, target: 120 },
    { title: "workerd at rest, over the floor's, MiB", value: report.rssIdleOverFloorMiB, target: 60 },
  ];
}
