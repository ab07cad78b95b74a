import type { Target } from "../../channels/channel.ts";
import type { SessionCalls } from "../api.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Refusal } from "../refusal.ts";
import type { QueuePolicy } from "../run/queue.ts";
import type { Fence } from "../store/fence.ts";
import type { SessionRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";
import type { Wiring } from "../wiring.ts";

/** What a session's dealings with other sessions need of the object that they are done for. */
export interface FamilyRoom {
  store: Store;
  log: EventLog;
  fence: Fence;
  owner(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  wiring(): Wiring;
  policyFor(target: Target | null): QueuePolicy;
  /** Calls another session's object. @throws IsopodError `unavailable`, or what it refuses with */
  call: CallSession;
  /** Something is due that was not: arms the alarm, and goes on with it. */
  changed(): void;
  now(): number;
}

/** Calls a session by its key. */
export type CallSession = <Result>(
  sessionKey: string,
  call: (session: SessionCalls) => Promise<Result | Refusal>,
) => Promise<Result>;
