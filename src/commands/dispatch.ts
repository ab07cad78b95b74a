import type { Target } from "../channels/channel.ts";
import { objectNameOfApproval, shortApprovalId } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { NO_USAGE } from "../models/message.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { lookUpModel, namedModels } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import { NO_SKILLS } from "../services/skills/turn-skills.ts";
import { knownRun, mergeKeyOf, type NewRun } from "../session-store/admission.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import { readGrants } from "../session-store/grants.ts";
import { resendLost } from "../session-store/lost-deliveries.ts";
import { commandAnswer, isTypedCommand, readTypedSkill, userMessage } from "../session-store/messages.ts";
import { enqueue, type OutboxPart } from "../session-store/outbox.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision } from "../session-store/run.ts";
import type { RunInput } from "../session-store/run-input.ts";
import type { RunResult } from "../session-store/run-result.ts";
import { insertRun, openApprovals, openRuns, type RunRow } from "../session-store/runs.ts";
import { type SessionRow, saveQueuePolicy, saveSetting } from "../session-store/session-row.ts";
import { sessionPreferences } from "../session-store/session-settings.ts";
import type { Store } from "../session-store/store.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { SkillSet } from "../skills/skill.ts";
import { resolveSkillCommand, skillsView } from "../turn/skills/resolve-skill-command.ts";
import type { CommandPort, ImmediateCommand, QueuedPort, Stopped, SubagentsPort } from "./command.ts";
import type { TypedCommand } from "./index.ts";
import { findCommand, readCommand } from "./index.ts";
import { readSessionTotals, readStatus } from "./session-status.ts";

/** Dependencies of the command dispatcher. */
export interface DispatchDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  session(): SessionRow;
  /** @throws IsopodError if the configuration is not valid */
  services(): Services;
  policyFor(target: Target | null): QueuePolicy;
  now(): number;
  hooks: SessionHooks;
  /** The skills of the latest scan. @throws IsopodError if the configuration is not valid */
  skills: { known(target: Target | null): SkillSet };
  /** The session's sub-agents, for a command of this run. */
  subagents(run: NewRun): SubagentsPort;
  /** Whether the session exists and is not being deleted. */
  isActive(): boolean;
  /** Stops every unsettled run, sub-agent and command in the background. */
  stopAll(): Stopped;
  decide(approvalId: string, decision: Decision): boolean;
  /** Decides a call that waits in another session's object, in the background. */
  decideElsewhere(objectName: string, approvalId: string, decision: Decision): void;
  /** Stops the agent's heartbeat where it runs or waits in this session, and begins to switch it off. */
  stopHeartbeat(): void;
  /** Takes a grant back; undefined if there is none. */
  revoke(grantId: string): Grant | undefined;
  format(target: Target, markdown: string): OutboxPart[];
  /** What a conversation has to be told of messages that did not arrive. They count as told. */
  lostNotice(target: Target, runId: string): OutboxPart[];
}

/** Runs immediate commands, before the queue. */
export class CommandDispatcher {
  readonly #deps: DispatchDeps;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /** Sorts an input: an immediate command, or a run. */
  sort(input: RunInput, target: Target | null): Intake {
    return intake(input, () => this.#skills(target));
  }

  /** Runs a command and records it with its answer. A repeated run id or idempotency key runs it only once. */
  take(run: NewRun, { command, args }: { command: ImmediateCommand; args: string }): RunRow {
    const { store, log, fence, hooks, session, now, format } = this.#deps;
    const known = knownRun(store, run);
    if (known !== undefined) return known;
    const answer = orReason(() => command.run(args, this.#port(run)));
    const parts = run.target === null ? [] : format(run.target, answer);
    const { sessionId } = session();
    return fence.write(() => {
      runCommandHooks({ id: run.runId, target: run.target }, run.input, { name: command.name, args }, hooks);
      const notice = run.target === null ? [] : this.#deps.lostNotice(run.target, run.runId);
      return recordCommand(run, answer, { store, log, sessionId, now: now(), parts: [...parts, ...notice] });
    });
  }

  /** Lets a queued command do at once what cannot wait for its turn. */
  begin({ origin }: RunInput): void {
    const command = origin?.kind === "command" ? findCommand(origin.name) : undefined;
    if (origin?.kind === "command" && command?.kind === "queued")
      command.atOnce?.(origin.args, { stopHeartbeat: this.#deps.stopHeartbeat });
  }

  /** Empty if there is no session yet, or the configuration is not valid. */
  #skills(target: Target | null): SkillSet {
    const { isActive, skills } = this.#deps;
    if (!isActive()) return NO_SKILLS.set;
    try {
      return skills.known(target);
    } catch (error) {
      if (error instanceof IsopodError) return NO_SKILLS.set;
      throw error;
    }
  }

  #port(run: NewRun): CommandPort {
    const { runId, input, target } = run;
    const { store, fence, hooks, session, services, now, stopAll, policyFor } = this.#deps;
    const agent = () => agentIn(services(), session().agentId);
    return {
      stopAll: () => {
        const stopped = stopAll();
        hooks.later("command:stop", () => stopped, runId);
        return stopped;
      },
      subagents: this.#deps.subagents(run),
      decide: (approvalId, decision) => this.#decideAll(approvalId, decision),
      grants: () => readGrants(store),
      revoke: (id) => this.#deps.revoke(id),
      resend: () => fence.write(() => resendLost(store, target, now())),
      queuePolicy: () => policyFor(target),
      setQueuePolicy: (change) => fence.write(() => saveQueuePolicy(store, change)),
      preferences: () => sessionPreferences(session().settings, agent()),
      set: (key, value) => fence.write(() => saveSetting(store, key, value)),
      lookUpModel: (word) => lookUpModel(services, word),
      namedModels: () => namedModels(services(), agent()),
      status: () => readStatus(store, session(), services(), now()),
      totals: () => readSessionTotals(store, session(), services(), now()),
      skills: () => skillsView(this.#skills(target)),
      asker: () => ({ sender: input.sender, target }),
    };
  }

  #decideAll(approvalId: string | undefined, decision: Decision): string[] {
    const { store, decide, decideElsewhere } = this.#deps;
    const waiting = openApprovals(openRuns(store)).filter(
      ({ id }) => approvalId === undefined || id === approvalId || shortApprovalId(id) === approvalId,
    );
    const elsewhere = approvalId === undefined ? undefined : objectNameOfApproval(approvalId);
    if (waiting.length === 0 && approvalId !== undefined && elsewhere !== undefined) {
      decideElsewhere(elsewhere, approvalId, decision);
      return ["a call of the sub-agent"];
    }
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

/** An input of a session, sorted: an immediate command, or a run (which may be a queued command). */
export type Intake =
  | { kind: "immediate"; command: ImmediateCommand; args: string; input: RunInput }
  | { kind: "run"; input: RunInput };

/**
 * Sorts an input. Only text typed by an owner can be a command: never text of other people, and never text sent by
 * another run, which may come from a model.
 * @param skills the latest scan; read only if the text looks like a command
 */
export function intake(input: RunInput, skills: () => SkillSet): Intake {
  const typed = input.sender?.owner && input.origin === undefined ? readCommand(input.text) : undefined;
  if (typed === undefined || isMessage(typed)) return { kind: "run", input: asMessage(input, skills) };
  const { command, args } = typed;
  if (command.kind === "immediate") return { kind: "immediate", command, args, input };
  if (command.kind === "retry") return { kind: "run", input: { ...input, origin: { kind: "retry" } } };
  const kind = command.kind === "reset" ? command.kind : "command";
  return { kind: "run", input: { ...input, origin: { kind, name: command.name, args } } };
}

function isMessage({ command, args }: TypedCommand): boolean {
  return command.kind === "queued" && command.isMessage?.(args) === true;
}

/** A skill call is an ordinary message, unless the skill is known to dispatch to a tool. */
function asMessage(input: RunInput, skills: () => SkillSet): RunInput {
  const typed = isTypedCommand(input) ? readTypedSkill(input.text) : undefined;
  const invocation = typed && resolveSkillCommand(typed, skills());
  const tool = invocation?.kind === "skill" ? invocation.command.skill.invocation.dispatchTool : undefined;
  return tool === undefined ? input : { ...input, alone: true };
}

/** Dependencies of `recordCommand`, which runs in a fenced transaction. */
export interface RecordCommandDeps {
  store: Store;
  log: EventLog;
  /** The current conversation. */
  sessionId: string;
  now: number;
  /** The answer, split and formatted for its channel. */
  parts: readonly OutboxPart[];
}

/**
 * Records a completed command and its answer as a finished run. People see both in the transcript, models see neither.
 */
export function recordCommand(
  run: NewRun,
  answer: string,
  { store, log, sessionId, now, parts }: RecordCommandDeps,
): RunRow {
  const { runId: id, input, target, idempotencyKey, inputDigest } = run;
  const answered = commandAnswer(answer, now);
  const startSeq = log.append(id, { ...userMessage(input, { acceptedAt: now, at: now }), aside: true });
  log.append(id, answered);
  const endSeq = log.record(id, now, [{ type: "lifecycle", phase: "end", usage: NO_USAGE }]);
  const state = {
    status: "ok",
    startedAt: now,
    startSeq,
    sessionId,
    endedAt: now,
    endSeq,
    model: answered.model,
    usage: NO_USAGE,
  } as const;
  const row: RunRow = {
    id,
    idempotencyKey,
    inputDigest,
    target,
    open: true,
    state,
    input: null,
    mergeKey: mergeKeyOf(input, target),
    acceptedAt: now,
    firstSeq: startSeq,
  };
  insertRun(store, row);
  enqueue(store, { runId: id, parts }, now);
  return row;
}

/** Runs the `command` hooks of a queued command, in the commit that starts its run. */
export function runQueuedCommandHooks(
  run: { id: string; target: Target | null },
  input: RunInput,
  hooks: SessionHooks,
): void {
  const { origin } = input;
  if (origin?.kind === "command" || origin?.kind === "reset") runCommandHooks(run, input, origin, hooks);
  if (origin?.kind === "retry") runCommandHooks(run, input, { name: origin.kind, args: "" }, hooks);
}

/** Runs the `command` hooks of a command, in the commit that records it. */
export function runCommandHooks(
  { id, target }: { id: string; target: Target | null },
  { sender }: Pick<RunInput, "sender">,
  { name, args }: { name: string; args: string },
  hooks: SessionHooks,
): void {
  const senderId = sender?.id ?? "unknown";
  const by = target === null ? senderId : `${target.channel}:${senderId}`;
  hooks.runSync("command", { name, args, by, source: target?.channel ?? "api" }, id);
}

/** Runs a queued command. Rejects with the error of the command; may be repeated. */
export async function runQueued(
  { name, args }: { name: string; args: string },
  port: QueuedPort,
  signal: AbortSignal,
): Promise<RunResult> {
  const command = findCommand(name);
  // It may have been accepted by another version of Isopod that had more commands.
  const isKnown = command?.kind === "queued";
  const text = isKnown ? await command.run(args, port, signal) : `The command \`/${name}\` does not exist.`;
  return { status: "ok", message: commandAnswer(text, Date.now()), texts: [text] };
}
