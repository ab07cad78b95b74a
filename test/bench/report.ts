import { availableParallelism, cpus } from "node:os";
import { AGENTS, type AgentsCost } from "./agents.ts";
import type { CountedTurn } from "./count.ts";
import { type Latencies, type Measured, PARALLEL, SEQUENTIAL_TURNS, type Throughput } from "./load.ts";
import type { Memory } from "./memory.ts";
import type { PromptCost } from "./prompt.ts";
import { type GateCost, SKILLS, type SkillCounts } from "./skills.ts";
import { rounded } from "./statistics.ts";

/** Everything that was measured. */
export interface Findings {
  sequential: Measured<Latencies>;
  parallel: Measured<Throughput>;
  counted: CountedTurn;
  skills: SkillCounts;
  bundleKiB: number;
  idle: Memory | undefined;
  afterLoad: Memory | undefined;
  firstStartMs: number;
  coldStartMs: number;
  prompt: PromptCost;
  gate: GateCost;
  agents: AgentsCost;
}

const ROWS = [
  ["floor", "proxy floor"],
  ["durableFloor", "durable floor"],
  ["isopod", "Isopod"],
] as const;

/** The findings as one JSON object. Times are milliseconds; ratios are of medians, over the durable floor. */
export function jsonReport(findings: Findings) {
  const {
    sequential,
    parallel,
    counted,
    skills,
    bundleKiB,
    idle,
    afterLoad,
    firstStartMs,
    coldStartMs,
    prompt,
    gate,
    agents,
  } = findings;
  const over = (name: keyof Latencies) => rounded(sequential.isopod[name].p50 / sequential.durableFloor[name].p50);
  const { beforeModel, total } = counted;
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
    perTurn: {
      r2BeforeModel: beforeModel.r2,
      d1BeforeModel: beforeModel.d1,
      doRowsWrittenBeforeModel: beforeModel.doRowsWritten,
      r2: total.r2,
      d1: total.d1,
      d1RoundTrips: total.d1RoundTrips,
      doRowsWritten: total.doRowsWritten,
    },
    bundleKiB,
    rssMiB: afterLoad?.workerd ?? null,
    rssIdleMiB: idle?.workerd ?? null,
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
export function textReport(findings: Findings): string {
  const { sequential, parallel, counted, idle, afterLoad } = findings;
  const report = jsonReport(findings);
  const { beforeModel, total } = counted;
  return [
    `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "unknown CPU"}, Node ${process.versions.node}`,
    "",
    `One session, ${SEQUENTIAL_TURNS} turns, in ms: median (95th percentile)`,
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
    `${PARALLEL.sessions} sessions at once, ${PARALLEL.turns} turns each, ${PARALLEL.rounds} rounds`,
    row("", "turns a second", "turn end"),
    ...ROWS.map(([name, title]) => {
      const { turnsPerSecond, turnEnd } = parallel[name];
      return row(title, turnsPerSecond.toFixed(0), `${ms(turnEnd.p50)} (${ms(turnEnd.p95)})`);
    }),
    row("over durable floor", `${report.ratio.turnsPerSecond}x`),
    "",
    "Storage of a warm turn",
    row("", "before the model", "whole turn"),
    row("R2 operations", String(beforeModel.r2), String(total.r2)),
    row("D1 queries", String(beforeModel.d1), `${total.d1} in ${total.d1RoundTrips}`),
    row("object rows written", String(beforeModel.doRowsWritten), String(total.doRowsWritten)),
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
    `Worker bundle    ${findings.bundleKiB} KiB compressed`,
    `Memory           workerd ${mib(idle?.workerd)} idle, ${mib(afterLoad?.workerd)} after the load; with what started it ${mib(afterLoad?.tree)}`,
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
