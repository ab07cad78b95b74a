import { budgetLines } from "../budgets/budget-report.ts";
import type { RunBudgetDeps } from "../budgets/run-budget.ts";
import { activationPort, pairingPort } from "../commands/channel-access-port.ts";
import type { QueuedPort } from "../commands/command.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import { readLog } from "../subagents/session-excerpt.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { type SessionContextDeps, sessionContext } from "../turn/preview/session-context.ts";
import { skillsView } from "../turn/skills/resolve-skill-command.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { turnContextOf } from "../turn/turn-context.ts";
import { reviewFiles } from "../workspace/acceptance.ts";
import { compactNow } from "./compact-now.ts";

/** Dependencies of queued commands. */
export interface QueuedPortDeps extends SubagentsDeps, RunBudgetDeps, SessionContextDeps {
  database: D1Database;
  hooks: SessionHooks;
  skills: Pick<SessionSkills, "forTurn" | "forPreview">;
}

/** The functions that a queued command may use. */
export function queuedPort(run: ActiveRun, deps: QueuedPortDeps): QueuedPort {
  const { database, budgets, skills, session, services, now } = deps;
  return {
    contextReport: () => sessionContext(turnContextOf(run, session(), services()), deps),
    reviewFiles: async () => {
      const agent = agentIn(services(), session().agentId);
      return reviewFiles(database, services().workspaceOf(agent), agent.id);
    },
    pairing: pairingPort(database, now),
    activation: activationPort(run.row.target, session().key, { services: services(), database, now }),
    async skills() {
      const turnContext = turnContextOf(run, session(), services());
      const asked = { turnContext, agent: turnContext.agent, listing: Promise.resolve(undefined) };
      return skillsView((await skills.forTurn(asked)).set);
    },
    subagentLog: (which) => readLog(which, deps),
    budgets: () => budgetLines(agentIn(services(), session().agentId), services().config, budgets, now()),
    compact: (focus) => compactNow(run, focus, deps),
  };
}
