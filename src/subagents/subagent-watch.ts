import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { admitRun } from "../session-store/admission.ts";
import {
  acknowledged,
  checked,
  ended,
  isAtWork,
  lostReport,
  nextCheckAt,
  type Subagent,
  type SubagentReport,
  stopping,
  unanswered,
  wasStopped,
} from "../session-store/subagent.ts";
import { findSubagentRow, openSubagents, type SubagentRow, saveSubagent } from "../session-store/subagent-rows.ts";
import { announcementInput } from "./announcements.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

/** Timeout of a sub-agent's object. */
const ANSWER_MS = 30_000;

/**
 * The sub-agents of a session. A request to start or stop one is stored first and repeated until it is acknowledged; a
 * sub-agent reports its end by itself.
 */
export class SubagentWatch {
  readonly #deps: SubagentsDeps;
  /** The sub-agents that this incarnation is calling: one request at a time for each. */
  readonly #syncing = new Map<string, Promise<void>>();

  constructor(deps: SubagentsDeps) {
    this.#deps = deps;
  }

  /** When the next request is due, in milliseconds since the epoch; undefined where none is. */
  get dueAt(): number | undefined {
    const instants = openSubagents(this.#deps.store).flatMap(({ subagent }) => nextCheckAt(subagent) ?? []);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** Whether the end of any sub-agent is awaited. */
  get hasActive(): boolean {
    return openSubagents(this.#deps.store).some(({ subagent }) => isAtWork(subagent));
  }

  /**
   * Marks the matching active sub-agents as stopping; call it within a commit.
   * @returns the marked ones
   */
  stop(isMeant: (row: SubagentRow) => boolean): SubagentRow[] {
    const { store, now } = this.#deps;
    const rows = openSubagents(store).filter((row) => isAtWork(row.subagent) && isMeant(row));
    for (const row of rows) saveSubagent(store, { ...row, subagent: stopping(row.subagent, now()) });
    return rows;
  }

  /** Sends all requests that are due. Never rejects. */
  async syncAll(): Promise<void> {
    await Promise.all(openSubagents(this.#deps.store).map(({ key }) => this.sync(key)));
  }

  /** Sends one sub-agent's requests until none is due. Never rejects. */
  sync(key: string): Promise<void> {
    const syncing = this.#syncing.get(key) ?? this.#sync(key).finally(() => this.#syncing.delete(key));
    this.#syncing.set(key, syncing);
    return syncing;
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#syncing.values());
  }

  /**
   * Stores a sub-agent's end and queues the run that announces it, in one commit. A repeated report has no effect. The
   * end of a sub-agent that was stopped from here is not announced.
   */
  acceptReport(report: SubagentReport): void {
    const { store, log, fence, now, policyFor, changed } = this.#deps;
    const row = findSubagentRow(store, report.childKey);
    if (row === undefined) return;
    const { subagent } = row;
    if (wasStopped(subagent)) {
      this.#update(row.key, (next) => ended(next, "stopped", now()));
      return;
    }
    const isLast = [report.childRunId, ...report.joinedRunIds].includes(subagent.childRunId);
    const run = {
      runId: newRunId(objectNameOfRun(row.runId) ?? "", now()),
      idempotencyKey: `announce:${report.childRunId}`,
      inputDigest: null,
      input: announcementInput(subagent, report),
      target: subagent.announceTo.target,
    };
    fence.write(() => {
      if (isLast) saveSubagent(store, { ...row, subagent: ended(subagent, report.status, now()) });
      admitRun(run, { store, log, policy: policyFor(run.target), now: now() });
    });
    changed();
  }

  async #sync(key: string): Promise<void> {
    try {
      for (let row = this.#due(key); row !== undefined; row = this.#due(key)) await this.#attempt(row);
    } catch (error) {
      writeLog("error", "subagent.sync_failed", { sessionKey: key, error: messageOf(error) });
    }
  }

  #due(key: string): SubagentRow | undefined {
    const row = findSubagentRow(this.#deps.store, key);
    const dueAt = row && nextCheckAt(row.subagent);
    return dueAt !== undefined && dueAt <= this.#deps.now() ? row : undefined;
  }

  async #attempt(row: SubagentRow): Promise<void> {
    try {
      if (!(await comesWithin(ANSWER_MS, this.#step(row)))) throw new Error("It did not answer in time.");
    } catch (error) {
      writeLog("warn", "subagent.unanswered", { sessionKey: row.key, error: messageOf(error) });
      this.#update(row.key, (subagent) => unanswered(subagent, this.#deps.now()));
    }
  }

  /** Sends the request that is due, and stores its acknowledgement. */
  async #step({ key, subagent }: SubagentRow): Promise<void> {
    const { now, call } = this.#deps;
    const { agentId, childRunId, phase } = subagent;
    switch (phase.status) {
      case "starting": {
        const request = { sessionKey: key, agentId, runId: childRunId, input: phase.input };
        await call(key, (session) => session.accept(request));
        return this.#update(key, (next) => (next.childRunId === childRunId ? acknowledged(next, now()) : next));
      }
      case "working": {
        const report = await call(key, (session) => session.report(childRunId));
        if (report === "open") return this.#update(key, (next) => checked(next, now()));
        return this.acceptReport(report ?? lostReport(key, childRunId, now()));
      }
      case "stopping":
        await call(key, (session) => session.abortAll());
        return this.#update(key, (next) => ended(next, "stopped", now()));
      case "ended":
        return;
    }
  }

  #update(key: string, change: (subagent: Subagent) => Subagent): void {
    const { store, fence } = this.#deps;
    fence.write(() => {
      const row = findSubagentRow(store, key);
      if (row !== undefined) saveSubagent(store, { ...row, subagent: change(row.subagent) });
    });
  }
}
