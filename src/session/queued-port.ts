import { activationPort } from "./activation-port.ts";
import type { Budget } from "./budget.ts";
import { budgetLines } from "./budget-report.ts";
import type { QueuedPort } from "./commands/command.ts";
import type { ActiveRun } from "./engine.ts";
import type { FamilyRoom } from "./family-room.ts";
import { pairingPort } from "./pairing-port.ts";
import { readLog } from "./session-excerpt.ts";
import { agentIn } from "./wiring.ts";

/** What commands that wait for their turn work on. */
export interface QueuedRoom extends FamilyRoom {
  database: D1Database;
  budgets: DurableObjectNamespace<Budget>;
}

/** What a command may do whose turn has come. */
export function queuedPort({ row }: ActiveRun, room: QueuedRoom): QueuedPort {
  const { database, budgets, owner, wiring, now } = room;
  return {
    pairing: pairingPort(database, now),
    activation: activationPort(row.target, owner().key, { wiring: wiring(), database, now }),
    subagentLog: (which) => readLog(which, room),
    budgets: () => budgetLines(agentIn(wiring(), owner().agentId), wiring().config, budgets, now()),
  };
}
