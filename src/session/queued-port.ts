import { budgetLines } from "../budgets/budget-report.ts";
import type { BudgetRoom } from "../budgets/run-budget.ts";
import { activationPort } from "../commands/activation-port.ts";
import type { QueuedPort } from "../commands/command.ts";
import { pairingPort } from "../commands/pairing-port.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import { readLog } from "../subagents/session-excerpt.ts";
import type { FamilyRoom } from "../subagents/subagents-deps.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { type ContextRoom, sessionContext } from "../turn/preview/session-context.ts";
import { skillsView } from "../turn/skills/invocation.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { occasionOf } from "../turn/turn-context.ts";
import { reviewFiles } from "../workspace/acceptance.ts";
import { compactNow } from "./compact-now.ts";

/** What commands that wait for their turn work on. */
export interface QueuedRoom extends FamilyRoom, BudgetRoom, ContextRoom {
  database: D1Database;
  hooks: SessionHooks;
  skills: Pick<SessionSkills, "forTurn" | "lookOnly">;
}

/** What a command may do whose turn has come. */
export function queuedPort(run: ActiveRun, room: QueuedRoom): QueuedPort {
  const { database, budgets, skills, owner, wiring, now } = room;
  return {
    contextReport: () => sessionContext(occasionOf(run, owner()), room),
    reviewFiles: async () => {
      const agent = agentIn(wiring(), owner().agentId);
      return reviewFiles(database, wiring().workspaceOf(agent), agent.id);
    },
    pairing: pairingPort(database, now),
    activation: activationPort(run.row.target, owner().key, { wiring: wiring(), database, now }),
    async skills() {
      const agent = agentIn(wiring(), owner().agentId);
      const asked = { occasion: occasionOf(run, owner()), agent, listing: Promise.resolve(undefined) };
      return skillsView((await skills.forTurn(asked)).set);
    },
    subagentLog: (which) => readLog(which, room),
    budgets: () => budgetLines(agentIn(wiring(), owner().agentId), wiring().config, budgets, now()),
    compact: (focus) => compactNow(run, focus, room),
  };
}
