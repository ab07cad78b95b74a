import { activationPort } from "./activation-port.ts";
import type { Budget } from "./budget.ts";
import { budgetLines } from "./budget-report.ts";
import type { QueuedPort } from "./commands/command.ts";
import type { ActiveRun } from "./engine.ts";
import { pairingPort } from "./pairing-port.ts";
import type { SessionRow } from "./session-row.ts";
import { agentIn, type Wiring } from "./wiring.ts";

/** What commands that wait for their turn work on. */
export interface QueuedRoom {
  database: D1Database;
  budgets: DurableObjectNamespace<Budget>;
  owner(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  wiring(): Wiring;
  now(): number;
}

/** What a command may do whose turn has come. */
export function queuedPort({ row }: ActiveRun, { database, budgets, owner, wiring, now }: QueuedRoom): QueuedPort {
  return {
    pairing: pairingPort(database, now),
    activation: activationPort(row.target, owner().key, { wiring: wiring(), database, now }),
    budgets: () => budgetLines(agentIn(wiring(), owner().agentId), wiring().config, budgets, now()),
  };
}
