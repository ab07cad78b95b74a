import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { examineAgents } from "./agents.ts";
import { examineBacklog } from "./backlog.ts";
import { examineBindings } from "./bindings.ts";
import { examineBudgets } from "./budgets.ts";
import { examineChannels } from "./channels.ts";
import type { Area, Check, Examine } from "./check.ts";
import { examineConfiguration } from "./configuration.ts";
import { examineDatabase } from "./database.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";
import { examineMemory } from "./memory.ts";
import { examineModels } from "./models.ts";
import { examineOwners } from "./owners.ts";
import { examineSecrets } from "./secrets.ts";
import { examineSkillInstalls } from "./skill-installs.ts";
import { examineSkills } from "./skills.ts";
import { examineWorkspaces } from "./workspaces.ts";

/** How long one area may take. */
const AREA_MS = 10_000;

/** The areas in reading order: what others rest on comes first. */
const AREAS: readonly (readonly [Area, Examine])[] = [
  ["configuration", examineConfiguration],
  ["secrets", examineSecrets],
  ["bindings", examineBindings],
  ["database", examineDatabase],
  ["models", examineModels],
  ["agents", examineAgents],
  ["channels", examineChannels],
  ["owners", examineOwners],
  ["workspaces", examineWorkspaces],
  ["memory", examineMemory],
  ["skills", examineSkills],
  ["skills", examineSkillInstalls],
  ["budgets", examineBudgets],
  ["backlog", examineBacklog],
];

/** What was found. `ok` says that nothing has failed; there may be warnings. */
export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

/** Looks at everything, all areas at once, each for a bounded time. Never rejects, and changes nothing. */
export async function examine(patient: DiagnosticsContext): Promise<Diagnosis> {
  const found = await Promise.all(AREAS.map(([area, look]) => lookAt(area, look, patient)));
  const checks = found.flat();
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}

async function lookAt(area: Area, look: Examine, patient: DiagnosticsContext): Promise<Check[]> {
  try {
    return await within(AREA_MS, Promise.resolve(patient).then(look));
  } catch (error) {
    log("warn", "doctor.failed", { area, error: messageOf(error) });
    const message = `This could not be looked at: ${messageOf(error)}`;
    const fix = FIXES[area] ?? "Try again; the Worker's log says more.";
    return [{ id: `${area}.failed`, area, status: "fail", message, fix }];
  }
}

/** @throws Error where it takes longer, and whatever the promise rejects with */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took over ${ms / 1000} s`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What is most likely wrong where an area cannot be looked at. */
const FIXES: Partial<Record<Area, string>> = {
  bindings: "Look whether the bucket that FILES is bound to is there: wrangler r2 bucket list.",
  database: "Look whether the database that DB is bound to is there: wrangler d1 list.",
  owners: "Look at the database: the check of migrations says more.",
  memory: "Look whether the database that MEMORY is bound to is there, and its migrations are applied.",
  backlog: "Look at the database: the check of migrations says more.",
  workspaces: "Try again; if it stays so, look at the bucket and at agents.list[].workspace.",
};
