import type { Target } from "../channels/channel.ts";
import { knownRun, type NewRun } from "./admission.ts";
import type { CommandPort, ImmediateCommand } from "./commands/command.ts";
import type { EventLog } from "./event-log.ts";
import type { Fence } from "./fence.ts";
import type { QueuePolicy } from "./queue.ts";
import type { Decision } from "./run.ts";
import { recordCommand } from "./run-command.ts";
import { openApprovals, openRuns, type RunRow } from "./runs.ts";
import { type SessionRow, saveQueuePolicy } from "./session-row.ts";
import { statusOf } from "./status.ts";
import type { Store } from "./store.ts";
import type { Wiring } from "./wiring.ts";

/** What carrying out commands needs of the object that it is done in. */
export interface CommandRoom {
  store: Store;
  log: EventLog;
  fence: Fence;
  owner(): SessionRow;
  wiring(): Wiring;
  now(): number;
  /** Stops every run that is not settled. Gives their ids. */
  stopAll(): string[];
  decide(approvalId: string, decision: Decision): boolean;
  policyFor(target: Target | null): QueuePolicy;
  format(target: Target, markdown: string): string[];
}

/** Carries out what an owner tells the session itself, before the queue. */
export class CommandDesk {
  readonly #room: CommandRoom;

  constructor(room: CommandRoom) {
    this.#room = room;
  }

  /** Carries out a command once, whether it comes again under its id or under its key, and records it with its answer. */
  take(run: NewRun, { command, args }: { command: ImmediateCommand; args: string }): RunRow {
    const { store, log, fence, now, format } = this.#room;
    const known = knownRun(store, run);
    if (known !== undefined) return known;
    const answer = command.run(args, this.#port(run));
    const parts = run.target === null ? [] : format(run.target, answer);
    return fence.write(() => recordCommand(run, answer, { store, log, now: now(), parts }));
  }

  #port({ target }: NewRun): CommandPort {
    const { store, fence, owner, wiring, now, stopAll, policyFor } = this.#room;
    return {
      stopAll: () => stopAll().length,
      decide: (approvalId, decision) => this.#decideAll(approvalId, decision),
      queuePolicy: () => policyFor(target),
      setQueuePolicy: (change) => fence.write(() => saveQueuePolicy(store, change)),
      status: () => statusOf(store, owner(), wiring, now()),
    };
  }

  #decideAll(approvalId: string | undefined, decision: Decision): string[] {
    const { store, decide } = this.#room;
    const waiting = openApprovals(openRuns(store)).filter(({ id }) => approvalId === undefined || id === approvalId);
    return waiting.filter(({ id }) => decide(id, decision)).map(({ tool }) => tool);
  }
}
