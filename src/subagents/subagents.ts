import { stripSilentToken } from "../agent/silent-token.ts";
import { IsopodError } from "../lib/errors.ts";
import { type AssistantMessage, messageText } from "../models/message.ts";
import { isBegun, isSettled, type SettledRun } from "../session-store/run.ts";
import type { RunOrigin } from "../session-store/run-input.ts";
import { findRun, type MergedRow, mergedRuns, type OpenRun, openRuns, type RunRow } from "../session-store/runs.ts";
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
 * A session's sub-agents and its reports to its parent. Every request is stored in the commit that it follows from, and
 * repeated, by any incarnation, until it is acknowledged.
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

  /** When something is due, in milliseconds since the epoch; undefined where nothing is. */
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

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all([this.watch.idle(), this.#announcements.idle()]);
  }

  /**
   * A run has ended: the parent gets a report, and a stopped run's sub-agents are stopped. Call it within the commit
   * that ends the run.
   * @param row the run before it ended
   */
  runEnded(row: OpenRun, state: SettledRun, reply: AssistantMessage | undefined): void {
    const { store, session } = this.#deps;
    if (state.status === "aborted" || state.status === "timeout") this.watch.stop(({ runId }) => runId === row.id);
    if (session().settings.spawned === undefined) return;
    const merged = mergedRuns(store, row.id);
    const origins = [runOrigin(store, row), ...merged.map(({ origin }) => origin)];
    const end = runEnd({ ...row, state }, reply, merged);
    const isHeld = this.#hasPendingResults(row.id);
    if (isBegun(row.state)) this.#announcements.extendHeld(end, isHeld);
    else if (!isHeld) this.#announcements.releaseHeld();
    if (origins.some((origin) => origin?.kind === "spawn")) this.#announcements.add(end, isHeld);
  }

  /**
   * Stops the sub-agents of a run, or all; call it within a commit.
   * @returns how many
   */
  stop(runId?: string): number {
    return this.#stop((row) => runId === undefined || row.runId === runId).length;
  }

  /**
   * Stops the sub-agent that a text names, or `all`.
   * @returns those that were active
   * @throws IsopodError where no active one matches
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

  /** The report of a run that another session waits for; undefined where there is no such run. */
  report(row: RunRow | undefined): SubagentReport | "open" | undefined {
    const { store, session } = this.#deps;
    if (row?.state.status === "joined") return this.report(findRun(store, row.state.intoRunId));
    if (row === undefined || !isSettled(row.state)) return row && "open";
    const pending = pendingAnnouncements(store).find(({ runId }) => runId === row.id);
    if (pending !== undefined) return pending.dueAt === null ? "open" : pending.report;
    const ended = { ...row, state: row.state };
    return subagentReport(session().key, runEnd(ended, readLastReply(store, row), mergedRuns(store, row.id)));
  }

  /** The ancestors and the sub-agents of this session. */
  lineage(): Lineage {
    const { store, session } = this.#deps;
    return {
      lineage: session().settings.spawned?.lineage ?? [],
      subagents: listedSubagents(store),
    };
  }

  /**
   * Finishes everything that is due before the session is deleted.
   * @throws Error where another session has not acknowledged: then it must be repeated
   */
  async settle(): Promise<void> {
    await this.runDue();
    const { store } = this.#deps;
    if (openSubagents(store).length > 0) throw new Error("Not every sub-agent has acknowledged its stop.");
    if (pendingAnnouncements(store).length > 0)
      throw new Error("The parent session has not acknowledged the last report.");
  }

  #stop(isMeant: (row: SubagentRow) => boolean): SubagentRow[] {
    const stopped = this.watch.stop(isMeant);
    if (!this.#hasPendingResults()) this.#announcements.releaseHeld();
    return stopped;
  }

  /** Whether results that belong to this session's task are still to come. */
  #hasPendingResults(exceptRunId?: string): boolean {
    const others = openRuns(this.#deps.store).filter(({ id }) => id !== exceptRunId);
    const isToCome = ({ state }: OpenRun) =>
      isBegun(state) || (state.status === "queued" && state.queueClass === "announcement");
    return this.watch.hasActive || others.some(isToCome);
  }
}

function runEnd(
  { id, state }: OpenRun & { state: SettledRun },
  reply: AssistantMessage | undefined,
  merged: readonly MergedRow[],
): RunEnd {
  const text = reply === undefined ? "" : stripSilentToken(messageText(reply));
  const labels = reply?.labels && { labels: reply.labels };
  return { runId: id, state, text, ...labels, joinedRunIds: merged.map((row) => row.id) };
}

/** The origin of a run, also of a queued one. */
function runOrigin(store: Store, { id, state }: OpenRun): RunOrigin | undefined {
  return isBegun(state) ? state.origin : findRun(store, id)?.input?.origin;
}
