import type { ToolOutput } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { Label } from "../security/labels.ts";
import { admitRun } from "../session-store/admission.ts";
import type { EventLog } from "../session-store/event-log.ts";
import { type Fence, Superseded } from "../session-store/fence.ts";
import type { Process, ProcessPhase } from "../session-store/process.ts";
import {
  addProcess,
  findProcess,
  keptProcesses,
  type ProcessRow,
  runningProcesses,
  saveEnded,
} from "../session-store/processes.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Store } from "../session-store/store.ts";
import type { AnnouncementTarget } from "../session-store/subagent.ts";
import type { BackgroundCommand } from "../tools/exec.ts";
import type { ListedProcess } from "../tools/process.ts";
import { processInput } from "./process-input.ts";

/** Most commands in the background of one session: each may hold a fifth of its object's memory. */
export const MAX_RUNNING = 2;
/** Most characters of a script that are stored. */
const MAX_COMMAND_CHARS = 500;

/** Dependencies of `Processes`. */
export interface ProcessesDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  policyFor(target: Target | null): QueuePolicy;
  /** A run was stored: arms the alarm and starts it. */
  changed(): void;
  /** Keeps the object alive for work that is not awaited. */
  waitUntil(promise: Promise<unknown>): void;
  now(): number;
}

/** The run that starts a command, and the one that its end wakes, if any. */
export interface Starter {
  runId: string;
  /** Of what its agent has in view. */
  labels: readonly Label[];
  announceTo?: AnnouncementTarget;
}

/** A command of this incarnation whose end is not stored. */
interface RunningCommand extends BackgroundCommand {
  settled: Promise<void>;
  /** Set where it could not be stored. */
  end?: ProcessPhase;
}

/**
 * The commands of a session that go on after their call. They live in this incarnation's memory; what is stored is that
 * they run, and how they have ended. The end and the run that it wakes are one commit, so it wakes once. What an earlier
 * incarnation has left running is interrupted.
 */
export class Processes {
  readonly #deps: ProcessesDeps;
  readonly #running = new Map<number, RunningCommand>();

  constructor(deps: ProcessesDeps) {
    this.#deps = deps;
  }

  /** Whether a command runs in this incarnation. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Whether as many run as may. */
  get isFull(): boolean {
    return runningProcesses(this.#deps.store).length >= MAX_RUNNING;
  }

  /** Stores that a command runs, and takes care of its end. @returns its number */
  take(command: BackgroundCommand, { runId, labels, announceTo }: Starter): number {
    const { store, changed, waitUntil } = this.#deps;
    const process: Process = {
      command: head(command.script, MAX_COMMAND_CHARS),
      startedAt: command.startedAt,
      ...(labels.length > 0 && { labels }),
      ...(announceTo && { announceTo }),
      phase: { status: "running" },
    };
    const id = this.#write(() => addProcess(store, { runId, process }));
    const settled = this.#finish(id, command.done);
    this.#running.set(id, { ...command, settled });
    waitUntil(settled);
    changed();
    return id;
  }

  /** All processes that are kept, the oldest first. */
  list(): ListedProcess[] {
    return keptProcesses(this.#deps.store).map(({ id, process: { command, startedAt, phase } }) => ({
      ...{ id, command, startedAt, status: phase.status },
      ...("at" in phase && { endedAt: phase.at }),
    }));
  }

  /** What a process has printed so far, or its result; undefined where there is none with this number. */
  output(id: number): ToolOutput | undefined {
    const row = findProcess(this.#deps.store, id);
    if (row === undefined) return undefined;
    const { phase } = row.process;
    if (phase.status === "ended") return { text: phase.text, ...(phase.labels && { labels: phase.labels }) };
    const command = phase.status === "running" ? this.#running.get(id) : undefined;
    return command?.soFar() ?? { text: `Process ${id} was ${phase.status}: what it printed is lost.` };
  }

  /** Stops a process. False if it does not run. */
  kill(id: number): boolean {
    return this.#write(() => this.stop((row) => row.id === id)) > 0;
  }

  /**
   * Stops the matching processes, which wake nobody then; call it within a commit.
   * @returns how many
   */
  stop(isMeant: (row: ProcessRow) => boolean = () => true): number {
    const { store, now } = this.#deps;
    const rows = runningProcesses(store).filter(isMeant);
    for (const row of rows) {
      saveEnded(store, row, { status: "killed", at: now() });
      this.#running.get(row.id)?.stop();
    }
    return rows.length;
  }

  /**
   * Stores the ends that could not be stored, and ends what an earlier incarnation has left running; tells the agent of
   * both. May be called at any time.
   */
  recover(): void {
    for (const [id, { end }] of this.#running) if (end) this.#end(id, end);
    const lost = runningProcesses(this.#deps.store).filter(({ id }) => !this.#running.has(id));
    for (const { id } of lost) this.#end(id, { status: "interrupted", at: this.#deps.now() });
  }

  /** Resolves when no command runs. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ settled }) => settled));
  }

  /** Never rejects. */
  async #finish(id: number, done: Promise<ToolOutput>): Promise<void> {
    const { text, labels } = await done.catch((error: unknown): ToolOutput => ({ text: messageOf(error) }));
    this.#end(id, { status: "ended", at: this.#deps.now(), text, ...(labels && { labels }) });
  }

  /**
   * Stores the end of a process, unless another incarnation has taken over, which tells that it was interrupted. An end
   * that cannot be stored is kept for `recover`.
   */
  #end(id: number, phase: ProcessPhase): void {
    try {
      this.#store(id, phase);
    } catch (error) {
      if (error instanceof Superseded) {
        this.#running.delete(id);
        return;
      }
      const command = this.#running.get(id);
      if (command !== undefined) command.end = phase;
      writeLog("error", "process.not_stored", { process: id, error: messageOf(error) });
    }
  }

  /** One commit. Where another incarnation has taken over, all commands of this one are stopped. */
  #write<Result>(work: () => Result): Result {
    try {
      return this.#deps.fence.write(work);
    } catch (error) {
      if (error instanceof Superseded) for (const { stop } of this.#running.values()) stop();
      throw error;
    }
  }

  /** Stores the end of a process that runs, with the run that it wakes, in one commit. */
  #store(id: number, phase: ProcessPhase): void {
    const { store, log, policyFor, changed, now } = this.#deps;
    this.#write(() => {
      const row = findProcess(store, id);
      if (row?.process.phase.status !== "running") return;
      saveEnded(store, row, phase);
      const { announceTo } = row.process;
      if (announceTo === undefined) return;
      const runId = newRunId(objectNameOfRun(row.runId) ?? "", now());
      const input = processInput({ ...row, process: { ...row.process, phase } }, announceTo, runId);
      const { target } = announceTo;
      const run = { runId, idempotencyKey: `process:${row.runId}:${id}`, inputDigest: null, input, target };
      admitRun(run, { store, log, policy: policyFor(target), now: now() });
    });
    this.#running.delete(id);
    changed();
  }
}
