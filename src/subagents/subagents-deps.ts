import type { Target } from "../channels/channel.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { CallSession } from "../services/call-session.ts";
import type { Services } from "../services/services.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { AcceptedRun, AcceptRequest } from "../session-store/run-request.ts";
import type { RunView, WaitResult } from "../session-store/run-views.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { Lineage, SubagentReport } from "../session-store/subagent.ts";
import type { HistoryPage } from "../session-store/transcript.ts";

/** Dependencies of all dealings with other sessions. */
export interface SubagentsDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  session(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Services;
  policyFor(target: Target | null): QueuePolicy;
  /**
   * Calls another session's object.
   * @throws IsopodError `unavailable`, or the session's refusal
   */
  call: CallSession<PeerSession>;
  /** Something became due: arms the alarm and continues. */
  changed(): void;
  now(): number;
}

/** The calls that a session makes to other sessions. Every call may be repeated. */
export interface PeerSession {
  accept(request: AcceptRequest): Promise<AcceptedRun | Refusal>;
  abortAll(): Promise<unknown>;
  announce(report: SubagentReport): Promise<unknown>;
  report(runId: string): Promise<SubagentReport | "open" | Refusal | undefined>;
  lineage(): Promise<Lineage | Refusal | undefined>;
  history(limit: number, before: number | undefined): Promise<HistoryPage | Refusal | undefined>;
  show(runId: string): Promise<RunView | Refusal | undefined>;
  wait(runId: string, timeoutMs: number): Promise<WaitResult | Refusal | undefined>;
}
