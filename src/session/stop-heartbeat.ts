import { switchHeartbeat } from "../services/schedule/heartbeats.ts";
import { agentIn, type Services } from "../services/services.ts";
import { isBegun } from "../session-store/run.ts";
import { findRun, openRuns } from "../session-store/runs.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";

/** What stopping a heartbeat depends on. */
export interface StopHeartbeatDeps {
  store: Store;
  session(): SessionRow;
  /** @throws IsopodError if the configuration is not valid */
  services(): Services;
  database: D1Database;
  queue: Pick<Queue, "send">;
  abort(runId: string): void;
  now(): number;
}

/** Stops the heartbeat that runs or waits in a session at once, and switches its agent's heartbeat off. */
export async function stopHeartbeat({ store, abort, ...deps }: StopHeartbeatDeps): Promise<void> {
  for (const { id, state } of openRuns(store)) {
    const origin = isBegun(state) ? state.origin : findRun(store, id)?.input?.origin;
    if (origin?.kind === "heartbeat") abort(id);
  }
  const services = deps.services();
  const { agentId } = deps.session();
  const zone = agentIn(services, agentId).defaults.userTimezone ?? "UTC";
  await switchHeartbeat(services.config, { agentId, zone, by: "command" }, false, deps);
}
