import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { comesWithin } from "../lib/comes-within.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { admitRun } from "../session-store/admission.ts";
import {
  accepted,
  type Child,
  checked,
  dueAtOf,
  isAtWork,
  over,
  stopping,
  unanswered,
  wasStopped,
} from "../session-store/subagent.ts";
import { type ChildReport, lostReport } from "../session-store/subagent-report.ts";
import { type ChildRow, findChild, openChildren, saveChild } from "../session-store/subagent-rows.ts";
import { announcement } from "./announcement.ts";
import type { FamilyRoom } from "./subagents-deps.ts";

/** How long a sub-agent's object may take to answer. */
const ANSWER_MS = 30_000;

/**
 * The sub-agents that a session has started. What one is to be told, to begin or to stop, is stored before it is, and
 * it is told again until it was heard; how it ended it says by itself.
 */
export class Children {
  readonly #room: FamilyRoom;
  /** Whom this incarnation is talking to: one word at a time with each. */
  readonly #talks = new Map<string, Promise<void>>();

  constructor(room: FamilyRoom) {
    this.#room = room;
  }

  /** When one of them is to be asked something, in milliseconds since the epoch; undefined where never. */
  get dueAt(): number | undefined {
    const instants = openChildren(this.#room.store).flatMap(({ child }) => dueAtOf(child) ?? []);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** Whether the end of any of them is waited for. */
  get areAtWork(): boolean {
    return openChildren(this.#room.store).some(({ child }) => isAtWork(child));
  }

  /** Marks those to be stopped that are meant, of those at work; to be called within a commit. Gives them. */
  stop(isMeant: (row: ChildRow) => boolean): ChildRow[] {
    const { store, now } = this.#room;
    const rows = openChildren(store).filter((row) => isAtWork(row.child) && isMeant(row));
    for (const row of rows) saveChild(store, { ...row, child: stopping(row.child, now()) });
    return rows;
  }

  /** Tells everybody what is due. Never rejects. */
  async tellAll(): Promise<void> {
    await Promise.all(openChildren(this.#room.store).map(({ key }) => this.tell(key)));
  }

  /** Tells one of them what is due, until nothing is. Never rejects. */
  tell(key: string): Promise<void> {
    const going = this.#talks.get(key) ?? this.#tell(key).finally(() => this.#talks.delete(key));
    this.#talks.set(key, going);
    return going;
  }

  /** Resolves when nobody is being told anything. */
  async idle(): Promise<void> {
    await Promise.all(this.#talks.values());
  }

  /**
   * Takes note of the end of a sub-agent's run and lets a run begin that tells of it, in one commit. The same report
   * again changes nothing. What nobody wants to hear any more, because its stop came from here, only ends.
   */
  hear(report: ChildReport): void {
    const { store, log, fence, now, policyFor, changed } = this.#room;
    const row = findChild(store, report.childKey);
    if (row === undefined) return;
    const { child } = row;
    if (wasStopped(child)) {
      this.#become(row.key, (next) => over(next, "stopped", now()));
      return;
    }
    const isLast = [report.childRunId, ...report.joinedRunIds].includes(child.childRunId);
    const run = {
      runId: newRunId(objectNameOfRun(row.runId) ?? "", now()),
      idempotencyKey: `announce:${report.childRunId}`,
      inputDigest: null,
      input: announcement(child, report),
      target: child.telling.target,
    };
    fence.write(() => {
      if (isLast) saveChild(store, { ...row, child: over(child, report.status, now()) });
      admitRun(run, { store, log, policy: policyFor(run.target), now: now() });
    });
    changed();
  }

  async #tell(key: string): Promise<void> {
    try {
      for (let row = this.#due(key); row !== undefined; row = this.#due(key)) await this.#attempt(row);
    } catch (error) {
      writeLog("error", "child.untold", { sessionKey: key, error: messageOf(error) });
    }
  }

  #due(key: string): ChildRow | undefined {
    const row = findChild(this.#room.store, key);
    const dueAt = row && dueAtOf(row.child);
    return dueAt !== undefined && dueAt <= this.#room.now() ? row : undefined;
  }

  async #attempt(row: ChildRow): Promise<void> {
    try {
      if (!(await comesWithin(ANSWER_MS, this.#step(row)))) throw new Error("It did not answer in time.");
    } catch (error) {
      writeLog("warn", "child.unanswered", { sessionKey: row.key, error: messageOf(error) });
      this.#become(row.key, (child) => unanswered(child, this.#room.now()));
    }
  }

  /** Says to a sub-agent what is due, and notes that it has heard it. */
  async #step({ key, child }: ChildRow): Promise<void> {
    const { now, call } = this.#room;
    const { agentId, childRunId, phase } = child;
    switch (phase.status) {
      case "starting": {
        const request = { sessionKey: key, agentId, runId: childRunId, input: phase.input };
        await call(key, (session) => session.accept(request));
        return this.#become(key, (next) => (next.childRunId === childRunId ? accepted(next, now()) : next));
      }
      case "working": {
        const report = await call(key, (session) => session.report(childRunId));
        if (report === "open") return this.#become(key, (next) => checked(next, now()));
        return this.hear(report ?? lostReport(key, childRunId, now()));
      }
      case "stopping":
        await call(key, (session) => session.abortAll());
        return this.#become(key, (next) => over(next, "stopped", now()));
      case "ended":
        return;
    }
  }

  #become(key: string, change: (child: Child) => Child): void {
    const { store, fence } = this.#room;
    fence.write(() => {
      const row = findChild(store, key);
      if (row !== undefined) saveChild(store, { ...row, child: change(row.child) });
    });
  }
}
