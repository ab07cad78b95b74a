import type { Target } from "../channels/channel.ts";
import { IsopodError } from "../lib/errors.ts";
import { knownRun, type NewRun } from "./admission.ts";
import type { CommandPort, ImmediateCommand } from "./commands/command.ts";
import type { EventLog } from "./event-log.ts";
import type { Fence } from "./fence.ts";
import { lookUpModel, namedModels } from "./model-choice.ts";
import { preferencesOf } from "./preferences.ts";
import type { QueuePolicy } from "./queue.ts";
import type { Decision } from "./run.ts";
import { recordCommand } from "./run-command.ts";
import { openApprovals, openRuns, type RunRow } from "./runs.ts";
import { type SessionRow, saveQueuePolicy, saveSetting } from "./session-row.ts";
import { statusOf, totalsIn } from "./status.ts";
import type { Store } from "./store.ts";
import { agentIn, type Wiring } from "./wiring.ts";

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
    const { store, log, fence, owner, now, format } = this.#room;
    const known = knownRun(store, run);
    if (known !== undefined) return known;
    const answer = orReason(() => command.run(args, this.#port(run)));
    const parts = run.target === null ? [] : format(run.target, answer);
    const { sessionId } = owner();
    return fence.write(() => recordCommand(run, answer, { store, log, sessionId, now: now(), parts }));
  }

  #port({ input, target }: NewRun): CommandPort {
    const { store, fence, owner, wiring, now, stopAll, policyFor } = this.#room;
    const agent = () => agentIn(wiring(), owner().agentId);
    return {
      stopAll: () => stopAll().length,
      decide: (approvalId, decision) => this.#decideAll(approvalId, decision),
      queuePolicy: () => policyFor(target),
      setQueuePolicy: (change) => fence.write(() => saveQueuePolicy(store, change)),
      preferences: () => preferencesOf(owner().settings, agent()),
      set: (key, value) => fence.write(() => saveSetting(store, key, value)),
      lookUpModel: (word) => lookUpModel(wiring, word),
      namedModels: () => namedModels(wiring(), agent()),
      status: () => statusOf(store, owner(), wiring(), now()),
      totals: () => totalsIn(store, owner(), wiring(), now()),
      asker: () => ({ sender: input.sender, target }),
    };
  }

  #decideAll(approvalId: string | undefined, decision: Decision): string[] {
    const { store, decide } = this.#room;
    const waiting = openApprovals(openRuns(store)).filter(({ id }) => approvalId === undefined || id === approvalId);
    return waiting.filter(({ id }) => decide(id, decision)).map(({ tool }) => tool);
  }
}

/** What a command answers, or why it cannot: where the configuration is not valid there is little that can be done. */
function orReason(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
  }
}
