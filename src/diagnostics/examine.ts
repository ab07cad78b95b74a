import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { examineAgents } from "./agents.ts";
import { examineBacklog, examineBudgets } from "./backlog.ts";
import { examineBindings } from "./bindings.ts";
import { examineChannels, examineOwners } from "./channels.ts";
import type { Area, Check, Examine } from "./check.ts";
import { examineConfiguration } from "./configuration.ts";
import { examineDatabase } from "./database.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";
import { examineMcp } from "./mcp.ts";
import { examineMedia } from "./media.ts";
import { examineMemory } from "./memory.ts";
import { examineModels } from "./models.ts";
import { examineSearch } from "./search.ts";
import { examineSecrets } from "./secrets.ts";
import { examineSecurity } from "./security.ts";
import { examineSessionLocations, examineSessions } from "./session-locations.ts";
import { examineSkillInstalls, examineSkills } from "./skills.ts";
import { examineTools } from "./tools.ts";
import { examineWorkspaces } from "./workspaces.ts";

/** How long one area may take. */
const AREA_MS = 10_000;

/** The areas in reading order: those that others depend on come first. */
const AREAS: readonly (readonly [Area, Examine])[] = [
  ["configuration", examineConfiguration],
  ["secrets", examineSecrets],
  ["bindings", examineBindings],
  ["database", examineDatabase],
  ["models", examineModels],
  ["models", examineMedia],
  ["agents", examineAgents],
  ["agents", examineTools],
  ["search", examineSearch],
  ["channels", examineChannels],
  ["owners", examineOwners],
  ["security", examineSecurity],
  ["workspaces", examineWorkspaces],
  ["memory", examineMemory],
  ["skills", examineSkills],
  ["skills", examineSkillInstalls],
  ["mcp", examineMcp],
  ["sessions", examineSessionLocations],
  ["sessions", examineSessions],
  ["budgets", examineBudgets],
  ["backlog", examineBacklog],
];

/** The results. `ok` means that no check failed; there may be warnings. */
export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

/** Runs the checks of all areas concurrently, each area with a time limit. Never rejects, and changes nothing. */
export async function examine(context: DiagnosticsContext): Promise<Diagnosis> {
  const found = await Promise.all(AREAS.map(([area, run]) => examineArea(area, run, context)));
  const checks = found.flat();
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}

async function examineArea(area: Area, run: Examine, context: DiagnosticsContext): Promise<Check[]> {
  try {
    return await within(AREA_MS, Promise.resolve(context).then(run));
  } catch (error) {
    log("warn", "doctor.failed", { area, error: messageOf(error) });
    const message = `This could not be checked: ${messageOf(error)}`;
    const fix = FIXES[area] ?? "Try again; the Worker's log says more.";
    return [{ id: `${area}.failed`, area, status: "fail", message, fix }];
  }
}

/** @throws Error after `ms`, or what the promise rejects with */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took over ${ms / 1000} s`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The most likely fix where an area cannot be checked. */
const FIXES: Partial<Record<Area, string>> = {
  bindings: "Check that the bucket bound to FILES exists: wrangler r2 bucket list.",
  database: "Check that the database bound to DB exists: wrangler d1 list.",
  owners: "See the check of the database's migrations.",
  memory: "Check that the database bound to MEMORY exists and is migrated.",
  backlog: "See the check of the database's migrations.",
  workspaces: "Try again; if it stays, check the bucket and agents.list[].workspace.",
};
