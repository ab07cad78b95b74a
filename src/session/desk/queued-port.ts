import { reviewFiles } from "../../workspace/acceptance.ts";
import { budgetLines } from "../budgets/budget-report.ts";
import type { BudgetRoom } from "../budgets/run-budget.ts";
import type { QueuedPort } from "../commands/command.ts";
import type { ActiveRun } from "../engine.ts";
import type { FamilyRoom } from "../family/family-room.ts";
import { readLog } from "../family/session-excerpt.ts";
import type { SessionHooks } from "../hooked/session-hooks.ts";
import { type ContextRoom, sessionContext } from "../inspect/session-context.ts";
import { skillsView } from "../skills/invocation.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import { compactNow } from "../transcript/compact-now.ts";
import { occasionOf } from "../turn/occasion.ts";
import { agentIn } from "../wiring.ts";
import { activationPort } from "./activation-port.ts";
import { pairingPort } from "./pairing-port.ts";

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
