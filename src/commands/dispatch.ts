import type { Target } from "../channels/channel.ts";
import { shortApprovalId } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { lookUpModel, namedModels } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import { NO_SKILLS } from "../services/skills/turn-skills.ts";
import { knownRun, type NewRun } from "../session-store/admission.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { Part } from "../session-store/outbox.ts";
import { preferencesOf } from "../session-store/preferences.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision, RunInput } from "../session-store/run.ts";
import { openApprovals, openRuns, type RunRow } from "../session-store/runs.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import { saveQueuePolicy, saveSetting } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { SkillSet } from "../skills/skill-set.ts";
import { skillsView } from "../turn/skills/invocation.ts";
import type { CommandPort, ImmediateCommand, Stopped, SubagentsPort } from "./command.ts";
import { runCommandHooks } from "./command-hooks.ts";
import { type Intake, intake } from "./intake.ts";
import { recordCommand } from "./run-now.ts";
import { statusOf, totalsIn } from "./session-status.ts";

/** Dependencies of the command dispatcher. */
export interface DispatchDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  owner(): SessionRow;
  /** @throws IsopodError if the configuration is not valid */
  services(): Services;
  policyFor(target: Target | null): QueuePolicy;
  now(): number;
  hooks: SessionHooks;
  /** The skills of the latest scan. @throws IsopodError if the configuration is not valid */
  skills: { known(): SkillSet };
  /** The session's sub-agents, for a command of this run. */
  subagents(run: NewRun): SubagentsPort;
  /** Whether the session exists and is not being deleted. */
  isActive(): boolean;
  /** Stops every unsettled run and every sub-agent. */
  stopAll(): Stopped;
  decide(approvalId: string, decision: Decision): boolean;
  format(target: Target, markdown: string): Part[];
}

/** Runs immediate commands, before the queue. */
export class CommandDispatcher {
  readonly #deps: DispatchDeps;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /** Sorts an input: an immediate command, or a run. */
  sort(input: RunInput): Intake {
    return intake(input, () => this.#skills());
  }

  /** Runs a command and records it with its answer. A repeated run id or idempotency key runs it only once. */
  take(run: NewRun, { command, args }: { command: ImmediateCommand; args: string }): RunRow {
    const { store, log, fence, hooks, owner, now, format } = this.#deps;
    const known = knownRun(store, run);
    if (known !== undefined) return known;
    const answer = orReason(() => command.run(args, this.#port(run)));
    const parts = run.target === null ? [] : format(run.target, answer);
    const { sessionId } = owner();
    return fence.write(() => {
      runCommandHooks({ id: run.runId, target: run.target }, run.input, { name: command.name, args }, hooks);
      return recordCommand(run, answer, { store, log, sessionId, now: now(), parts });
    });
  }

  /** Empty if there is no session yet, or the configuration is not valid. */
  #skills(): SkillSet {
    const { isActive, skills } = this.#deps;
    if (!isActive()) return NO_SKILLS.set;
    try {
      return skills.known();
    } catch (error) {
      if (error instanceof IsopodError) return NO_SKILLS.set;
      throw error;
    }
  }

  #port(run: NewRun): CommandPort {
    const { runId, input, target } = run;
    const { store, fence, hooks, owner, services, now, stopAll, policyFor } = this.#deps;
    const agent = () => agentIn(services(), owner().agentId);
    return {
      stopAll: () => {
        const stopped = stopAll();
        hooks.later("command:stop", () => stopped, runId);
        return stopped;
      },
      subagents: this.#deps.subagents(run),
      decide: (approvalId, decision) => this.#decideAll(approvalId, decision),
      queuePolicy: () => policyFor(target),
      setQueuePolicy: (change) => fence.write(() => saveQueuePolicy(store, change)),
      preferences: () => preferencesOf(owner().settings, agent()),
      set: (key, value) => fence.write(() => saveSetting(store, key, value)),
      lookUpModel: (word) => lookUpModel(services, word),
      namedModels: () => namedModels(services(), agent()),
      status: () => statusOf(store, owner(), services(), now()),
      totals: () => totalsIn(store, owner(), services(), now()),
      skills: () => skillsView(this.#skills()),
      asker: () => ({ sender: input.sender, target }),
    };
  }

  #decideAll(approvalId: string | undefined, decision: Decision): string[] {
    const { store, decide } = this.#deps;
    const waiting = openApprovals(openRuns(store)).filter(
      ({ id }) => approvalId === undefined || id === approvalId || shortApprovalId(id) === approvalId,
    );
    return waiting.filter(({ id }) => decide(id, decision)).map(({ tool }) => tool);
  }
}

/** The answer of a command, or the message of its IsopodError (for example: the configuration is not valid). */
function orReason(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
  }
}
