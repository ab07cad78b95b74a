import { and, eq, sql } from "drizzle-orm";
import { stripSilentToken } from "../agent/silent-reply.ts";
import { IsopodError } from "../lib/errors.ts";
import { type AssistantMessage, textOf } from "../models/message.ts";
import { isBegun, isSettled, type RunOrigin, type SettledRun } from "../session-store/run.ts";
import { findRun, type OpenRun, openRuns, type RunRow } from "../session-store/runs.ts";
import { runs } from "../session-store/schema.ts";
import type { Store } from "../session-store/store.ts";
import {
  type Lineage,
  type RunEnd,
  type SubagentReport,
  type SubagentView,
  subagentReport,
} from "../session-store/subagent.ts";
import { openSubagents, pendingAnnouncements, type SubagentRow } from "../session-store/subagent-rows.ts";
import { readLastReply } from "../session-store/transcript.ts";
import { Announcements } from "./announcements.ts";
import { findSubagent, isAtWork, listedSubagents, subagentView } from "./find-subagent.ts";
import { SubagentWatch } from "./subagent-watch.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

/**
 * A session's dealings with those that it has started, and with the one that has started it. All of it is stored in
 * the commit that it follows from, and done until it is heard, by whichever incarnation.
 */
export class Subagents {
  readonly watch: SubagentWatch;
  readonly #deps: SubagentsDeps;
  readonly #announcements: Announcements;

  constructor(deps: SubagentsDeps) {
    this.#deps = deps;
    this.watch = new SubagentWatch(deps);
    this.#announcements = new Announcements(deps);
  }

  /** When it has something to do, in milliseconds since the epoch; undefined where nothing. */
  get dueAt(): number | undefined {
    const instants = [this.watch.dueAt, this.#announcements.dueAt].filter((instant) => instant !== undefined);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  get isDue(): boolean {
    return (this.dueAt ?? Number.POSITIVE_INFINITY) <= this.#deps.now();
  }

  /** Does what is due. Never rejects. */
  async runDue(): Promise<void> {
    await Promise.all([this.watch.syncAll(), this.#announcements.deliverAll()]);
  }

  /** Resolves when nothing is going on. */
  async idle(): Promise<void> {
    await Promise.all([this.watch.idle(), this.#announcements.idle()]);
  }

  /**
   * A run has ended: who started this session is told, and what the run has started ends with it where it was stopped.
   * To be called within the commit that ends it, with how it stood before.
   */
  runEnded(row: OpenRun, state: SettledRun, reply: AssistantMessage | undefined): void {
    const { store, owner } = this.#deps;
    if (state.status === "aborted" || state.status === "timeout") this.watch.stop(({ runId }) => runId === row.id);
    if (owner().settings.spawned === undefined) return;
    const joined = mergedRuns(store, row.id);
    const origins = [runOrigin(store, row), ...joined.map(({ origin }) => origin)];
    const end = runEnd({ ...row, state }, reply, joined);
    const isHeld = this.#hasPendingResults(row.id);
    if (isBegun(row.state)) this.#announcements.extendHeld(end, isHeld);
    else if (!isHeld) this.#announcements.releaseHeld();
    if (origins.some((origin) => origin?.kind === "spawn")) this.#announcements.add(end, isHeld);
  }

  /** Stops what a run has started, or all that the session has; to be called within a commit. Gives their number. */
  stop(runId?: string): number {
    return this.#stop((row) => runId === undefined || row.runId === runId).length;
  }

  /**
   * Stops the sub-agent that a text means, or `all`. Gives those that were at work.
   * @throws IsopodError where none is meant that is at work
   */
  stopNamed(which: string): SubagentView[] {
    const { store, fence, changed } = this.#deps;
    const isAll = which.trim().toLowerCase() === "all";
    const meant = isAll ? undefined : findSubagent(listedSubagents(store), which);
    if (meant !== undefined && !isAtWork(meant)) {
      throw new IsopodError("conflict", `'${meant.label}' has ended already: ${meant.status}.`);
    }
    const stopped = fence.write(() => this.#stop(({ key }) => isAll || key === meant?.sessionKey));
    changed();
    return stopped.map(subagentView);
  }

  /** How a run stands that another session waits for; undefined where it is not there. */
  report(row: RunRow | undefined): SubagentReport | "open" | undefined {
    const { store, owner } = this.#deps;
    if (row?.state.status === "joined") return this.report(findRun(store, row.state.intoRunId));
    if (row === undefined || !isSettled(row.state)) return row && "open";
    const pending = pendingAnnouncements(store).find(({ runId }) => runId === row.id);
    if (pending !== undefined) return pending.dueAt === null ? "open" : pending.report;
    const ended = { ...row, state: row.state };
    return subagentReport(owner().key, runEnd(ended, readLastReply(store, row), mergedRuns(store, row.id)));
  }

  /** Whose the session is, and who belongs to it. */
  lineage(): Lineage {
    const { store, owner } = this.#deps;
    return {
      lineage: owner().settings.spawned?.lineage ?? [],
      subagents: listedSubagents(store),
    };
  }

  /**
   * Brings to its end what is due before the session is deleted.
   * @throws Error where somebody has not heard: then it is to be tried again
   */
  async settle(): Promise<void> {
    await this.runDue();
    const { store } = this.#deps;
    if (openSubagents(store).length > 0) throw new Error("Not every sub-agent has heard that it is to stop.");
    if (pendingAnnouncements(store).length > 0) throw new Error("Who started the session has not heard of its end.");
  }

  #stop(isMeant: (row: SubagentRow) => boolean): SubagentRow[] {
    const stopped = this.watch.stop(isMeant);
    if (!this.#hasPendingResults()) this.#announcements.releaseHeld();
    return stopped;
  }

  /** Whether results are still to come that belong to what this session was asked. */
  #hasPendingResults(exceptRunId?: string): boolean {
    const others = openRuns(this.#deps.store).filter(({ id }) => id !== exceptRunId);
    const isToCome = ({ state }: OpenRun) =>
      isBegun(state) || (state.status === "queued" && state.queueClass === "announcement");
    return this.watch.hasActive || others.some(isToCome);
  }
}

/** A run that joined another. */
export interface MergedRow {
  id: string;
  origin: RunOrigin | undefined;
}

function runEnd(
  { id, state }: OpenRun & { state: SettledRun },
  reply: AssistantMessage | undefined,
  joined: readonly MergedRow[],
): RunEnd {
  const text = reply === undefined ? "" : stripSilentToken(textOf(reply));
  return { runId: id, state, text, joinedRunIds: joined.map((row) => row.id) };
}

/** What a run came from, also one that has not begun. */
function runOrigin(store: Store, { id, state }: OpenRun): RunOrigin | undefined {
  return isBegun(state) ? state.origin : findRun(store, id)?.input?.origin;
}

/** The runs that became one with a run. It reads what was accepted after it, so only dealings with others ask for it. */
export function mergedRuns(store: Store, intoRunId: string): MergedRow[] {
  const into = sql`CASE WHEN json_valid(${runs.state}) THEN ${runs.state} ->> '$.intoRunId' END`;
  const isLater = sql`rowid > (SELECT rowid FROM ${runs} WHERE ${runs.id} = ${intoRunId})`;
  const rows = store
    .select({ id: runs.id, state: runs.state })
    .from(runs)
    .where(and(isLater, eq(into, intoRunId)))
    .all();
  return rows.map(({ id, state }) => ({ id, origin: state?.status === "joined" ? state.origin : undefined }));
}
