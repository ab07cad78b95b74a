import type { Target } from "../channels/channel.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Wiring } from "../services/services.ts";
import type { SessionCalls } from "../session/api.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";

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
