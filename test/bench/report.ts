import { availableParallelism, cpus } from "node:os";
import { AGENTS, type AgentsCost } from "./agents.ts";
import { type CountedTurn, type CountedTurns, ROUND } from "./count.ts";
import type { DeltaCost } from "./deltas.ts";
import type { InterfaceCost } from "./interfaces.ts";
import { type LabelsCost, MESSAGES } from "./labels.ts";
import type { Latencies, Measured, Throughput } from "./load.ts";
import type { Plan } from "./plan.ts";
import type { Memory } from "./processes.ts";
import type { PromptCost } from "./prompt.ts";
import type { FirstTurn, Growth } from "./sessions.ts";
import { type GateCost, SKILLS, type SkillCounts } from "./skills.ts";
import type { StartUp } from "./start-up.ts";
import { rounded } from "./statistics.ts";

/** Everything that was measured. */
export interface Findings {
  sequential: Measured<Latencies>;
  parallel: Measured<Throughput>;
  /** By the number of deltas. */
  deltas: Record<number, DeltaCost>;
  interfaceCpuMs: InterfaceCost;
  growth: Growth;
  firstTurn: FirstTurn;
  counted: CountedTurns;
  skills: SkillCounts;
  /** What is measured of the built Worker. */
  startUp: StartUp;
  idle: Memory | undefined;
  floorIdle: Memory | undefined;
  afterLoad: Memory | undefined;
  firstStartMs: number;
  coldStartMs: number;
  prompt: PromptCost;
  gate: GateCost;
  agents: AgentsCost;
  labels: LabelsCost;
}

const ROWS = [
  ["floor", "proxy floor"],
  ["durableFloor", "durable floor"],
  ["isopod", "Isopod"],
] as const;

/** The findings as one JSON object. Times are milliseconds; ratios are of medians, over the durable floor. */
export function jsonReport(findings: Findings) {
  const { sequential, parallel, deltas, interfaceCpuMs, growth, firstTurn, counted, skills, startUp } = findings;
  const { idle, floorIdle, afterLoad, firstStartMs, coldStartMs, prompt, gate, agents, labels } = findings;
  const over = (name: keyof Latencies) => rounded(sequential.isopod[name].p50 / sequential.durableFloor[name].p50);
  const { withinMinute } = counted;
  return {
    ratio: {
      firstModelRequest: over("firstModelRequest"),
      firstToken: over("firstToken"),
      turnEnd: over("turnEnd"),
      turnsPerSecond: rounded(parallel.isopod.turnsPerSecond / parallel.durableFloor.turnsPerSecond),
    },
    isopodMs: sequential.isopod,
    floorMs: sequential.floor,
    durableFloorMs: sequential.durableFloor,
    turnsPerSecond: parallel.isopod.turnsPerSecond,
    floorTurnsPerSecond: parallel.floor.turnsPerSecond,
    durableFloorTurnsPerSecond: parallel.durableFloor.turnsPerSecond,
    parallelTurnEndMs: parallel.isopod.turnEnd,
    deltas,
    interfaceCpuMs,
    growth,
    firstTurn,
    statementsPerTurn: withinMinute.total.statements,
    transactionsBeforeModel: withinMinute.beforeModel.transactions,
    r2PerTurn: withinMinute.total.r2,
    r2BeforeModel: withinMinute.beforeModel.r2Answered,
    d1BeforeModel: withinMinute.beforeModel.d1Answered,
    perTurnSoon: turnCounts(counted.soon),
    perTurn: turnCounts(withinMinute),
    perTurnAfterMinute: turnCounts(counted.afterMinute),
    perRound: { sessions: ROUND, r2: counted.round.r2, r2Lists: counted.round.r2Lists, d1: counted.round.d1RoundTrips },
    ...startUp,
    rssMiB: afterLoad?.workerd ?? null,
    rssIdleMiB: idle?.workerd ?? null,
    rssIdleOverFloorMiB: idle === undefined || floorIdle === undefined ? null : idle.user - floorIdle.user,
    rssTreeMiB: afterLoad?.tree ?? null,
    coldStartMs: rounded(coldStartMs),
    firstStartMs: rounded(firstStartMs),
    prompt,
    skills: {
      count: SKILLS,
      firstTurn: skillTurn(skills.first),
      warmTurn: skillTurn(skills.warm),
      gateMs: gate.ms,
      gateOverParse: gate.overParse,
    },
    agents: { count: AGENTS, ...agents },
    labels: { count: MESSAGES, ...labels },
  };
}

function turnCounts({ beforeModel, total }: CountedTurn) {
  return {
    statements: total.statements,
    statementsBeforeModel: beforeModel.statements,
    transactions: total.transactions,
    transactionsBeforeModel: beforeModel.transactions,
    alarms: total.alarms,
    r2: total.r2,
    r2BeforeModel: beforeModel.r2Answered,
    d1: total.d1,
    d1RoundTrips: total.d1RoundTrips,
    d1BeforeModel: beforeModel.d1Answered,
    remoteStepsBeforeModel: beforeModel.remoteSteps,
    doRowsWritten: total.doRowsWritten,
    doRowsWrittenBeforeModel: beforeModel.doRowsWritten,
  };
}

function skillTurn({ beforeModel, total }: CountedTurn) {
  return {
    r2GetsBeforeModel: beforeModel.r2Gets,
    r2ListsBeforeModel: beforeModel.r2Lists,
    r2GetsAtOnce: beforeModel.r2GetsAtOnce,
    r2: total.r2,
    doRowsWritten: total.doRowsWritten,
  };
}

/** The findings for people. */
export function textReport(findings: Findings, plan: Plan): string {
  const { sequential, parallel, counted, idle, afterLoad } = findings;
  const report = jsonReport(findings);
  return [
    `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "unknown CPU"}, Node ${process.versions.node}`,
    "",
    `One session, ${plan.sequential.turns} turns, in ms: median (95th percentile)`,
    row("", "first model request", "first token", "turn end"),
    ...ROWS.map(([name, title]) => {
      const { firstModelRequest, firstToken, turnEnd } = sequential[name];
      return row(title, ...[firstModelRequest, firstToken, turnEnd].map(({ p50, p95 }) => `${ms(p50)} (${ms(p95)})`));
    }),
    row(
      "over durable floor",
      ...[report.ratio.firstModelRequest, report.ratio.firstToken, report.ratio.turnEnd].map((ratio) => `${ratio}x`),
    ),
    "",
    `${plan.parallel.sessions} sessions at once, ${plan.parallel.turns} turns each, ${plan.parallel.rounds} rounds`,
    row("", "turns a second", "turn end"),
    ...ROWS.map(([name, title]) => {
      const { turnsPerSecond, turnEnd } = parallel[name];
      return row(title, turnsPerSecond.toFixed(0), `${ms(turnEnd.p50)} (${ms(turnEnd.p95)})`);
    }),
    row("over durable floor", `${report.ratio.turnsPerSecond}x`),
    "",
    "Answers by their deltas, in ms",
    row("", "turn end", "durable floor", "over it", "CPU of workerd"),
    ...Object.entries(findings.deltas).map(([deltas, { turnEndMs, durableFloorMs, ratio, cpuMs }]) =>
      row(`${deltas} deltas`, ms(turnEndMs), ms(durableFloorMs), `${ratio}x`, String(cpuMs ?? "unknown")),
    ),
    "",
    `First turn       ${ms(report.firstTurn.turnEndMs)} ms in a new session, ${report.firstTurn.ratio}x of the durable floor`,
    ...Object.entries(findings.growth).map(
      ([length, end]) => `Turn end         ${ms(end)} ms after ${length} messages`,
    ),
    "",
    "Operations of a warm turn, before the model and in all",
    row("after the last turn", "at once", "50 s", "70 s"),
    ...(["statements", "transactions", "r2Answered", "d1Answered", "remoteSteps", "doRowsWritten"] as const).map(
      (name) =>
        row(
          name,
          ...[counted.soon, counted.withinMinute, counted.afterMinute].map(
            ({ beforeModel, total }) => `${beforeModel[name]}, ${total[name]}`,
          ),
        ),
    ),
    `${ROUND} sessions at once, 70 s after their last turns: ${counted.round.r2} R2 operations, ${counted.round.d1RoundTrips} D1 requests`,
    "",
    `With ${SKILLS} skills in two folders`,
    row("", "before the model", "reads at once", "whole turn", "rows written"),
    ...(["firstTurn", "warmTurn"] as const).map((turn) => {
      const { r2GetsBeforeModel, r2ListsBeforeModel, r2GetsAtOnce, r2, doRowsWritten } = report.skills[turn];
      const before = `${r2GetsBeforeModel} reads, ${r2ListsBeforeModel} lists`;
      const title = turn === "firstTurn" ? "first turn" : "warm turn";
      return row(title, before, String(r2GetsAtOnce), `${r2} R2 operations`, String(doRowsWritten));
    }),
    `Gates and list   ${report.skills.gateMs} ms of CPU, ${report.skills.gateOverParse}x of parsing the same skills`,
    "",
    `System prompt    ${report.prompt.ms} ms of CPU for 60,000 characters of files, ${report.prompt.overFloor}x of joining them; ${report.prompt.firstMs} ms the first time`,
    `Agents           ${report.agents.ms} ms of CPU to resolve ${AGENTS} of one configuration, each ${report.agents.growth}x of one among a tenth as many`,
    `Labels           ${report.labels.micros} µs of CPU to decide about a call after ${MESSAGES} private messages, ${report.labels.overJson}x of writing them as JSON`,
    `Worker           ${findings.startUp.mainKiB} KiB evaluated at start, ${findings.startUp.bundleKiB} KiB in all, compressed`,
    `Start-up         ${findings.startUp.startupCpuMs} ms of CPU`,
    `Memory           workerd ${mib(idle?.workerd)} idle (${mib(report.rssIdleOverFloorMiB ?? undefined)} over the floor's), ${mib(afterLoad?.workerd)} after the load; with what started it ${mib(afterLoad?.tree)}`,
    `Cold start       ${report.coldStartMs} ms from npm start to the end of the first turn; ${report.firstStartMs} ms the very first time`,
  ].join("\n");
}

function row(title: string, ...cells: string[]): string {
  return [title.padEnd(20), ...cells.map((cell) => cell.padEnd(21))].join("").trimEnd();
}

function ms(value: number): string {
  return value.toFixed(1);
}

function mib(value: number | undefined): string {
  return value === undefined ? "unknown" : `${value} MiB`;
}
