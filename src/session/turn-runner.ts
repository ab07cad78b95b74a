import type { AnyTool } from "../agent/tool.ts";
import { SessionBrowser } from "../browser/session-browser.ts";
import type { BudgetNamespace } from "../budgets/budget-state.ts";
import { openRunBudget } from "../budgets/run-budget.ts";
import { runQueued, runQueuedCommandHooks } from "../commands/dispatch.ts";
import { originRules } from "../config/origins.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { Message } from "../models/message.ts";
import { messageLabels } from "../models/view-labels.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import type { Processes } from "../processes/processes.ts";
import { processesPort } from "../processes/processes-port.ts";
import type { Suspicion } from "../security/from-outside.ts";
import { filesReadOf } from "../services/bootstrap-caches.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import { agentIn, listWorkspaceRoot, listWorkspaceRootAhead, type Services } from "../services/services.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import { commandAnswer, userMessage } from "../session-store/messages.ts";
import type { RunStart } from "../session-store/run.ts";
import type { RunInput } from "../session-store/run-input.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import type { RunResult } from "../session-store/run-result.ts";
import { noteActivity, type ResetPolicy, resetPolicyFor, startRun } from "../session-store/run-start.ts";
import type { RunRow } from "../session-store/runs.ts";
import { noteResult } from "../session-store/session-channel.ts";
import { saveSetting } from "../session-store/session-row.ts";
import { readResult, spokenMessages } from "../session-store/transcript.ts";
import { sessionsPort } from "../subagents/sessions-port.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { ReadEtags } from "../tools/read-etags.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { openOutput } from "../turn/output/open-output.ts";
import { outboxPort } from "../turn/output/outbox-port.ts";
import { PromptKeeper } from "../turn/preview/prompt-keeper.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { takeTurn } from "../turn/turn.ts";
import { type TurnContext, turnContextOf } from "../turn/turn-context.ts";
import { endFirstConversation } from "../turn/turn-files.ts";
import { type TurnPorts, turnPorts } from "../turn/turn-ports.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import { updateCommandMenu } from "./command-menu.ts";
import { queuedPort } from "./command-ports.ts";
import type { ConfigSnapshot } from "./config-snapshot.ts";
import type { Deliveries } from "./deliveries.ts";
import type { DeliveryFormat } from "./delivery-format.ts";
import { startGateway } from "./gateway-start.ts";
import { jobsPort } from "./jobs-port.ts";
import type { Lane } from "./lane.ts";
import type { PartSender } from "./send-part.ts";
import { keepSlot, laneOf, takeSlot } from "./slot.ts";
import { statusPort } from "./status-port.ts";

/** What running turns depends on. */
export interface TurnRunnerDeps extends SubagentsDeps {
  configured: ConfigSnapshot;
  deliveries: Deliveries;
  deliveryFormat: DeliveryFormat;
  sender: Pick<PartSender, "showTyping">;
  hooks: SessionHooks;
  files: R2Bucket;
  database: D1Database;
  /** Brings slots that are to run at once to their sessions. */
  schedule: Pick<Queue, "send">;
  lanes: DurableObjectNamespace<Lane>;
  budgets: BudgetNamespace;
  subagents: Subagents;
  processes: Processes;
  skills: SessionSkills;
  audit: Pick<AuditTrail, "write">;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** Keeps the object alive for work that no caller awaits. */
  waitUntil(promise: Promise<unknown>): void;
}

function nothingToRetry(): RunResult {
  const text = "There is nothing to try again: the last message has its whole answer.";
  return { status: "ok", message: commandAnswer(text, Date.now()), texts: [text] };
}

/** Whether the last thing that was said waits for the agent. */
function isUnanswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last !== undefined && last.role !== "assistant";
}

/** What was requested before the run was stored. None of its promises rejects. */
export interface Prefetched {
  /** Resolves when the newest configuration is known. */
  configured: Promise<void>;
  /** The root of the workspace; it counts as long as the configuration that named the workspace is in force. */
  listing?: { entries: Listing; services: Services };
}

type Listing = Promise<WorkspaceEntry[] | undefined>;

/**
 * Runs the turns of a session's runs. Between turns it keeps the etags of files that the agent has read, and for a while
 * its browser.
 */
export class TurnRunner {
  readonly #deps: TurnRunnerDeps;
  readonly #readEtags = new ReadEtags();
  readonly #prompts: PromptKeeper;
  readonly #browser = new SessionBrowser();

  constructor(deps: TurnRunnerDeps) {
    this.#deps = deps;
    this.#prompts = new PromptKeeper(deps);
  }

  /** Hashes of the prompts that models are being sent now. */
  get promptsInUse(): ReadonlySet<string> {
    return this.#prompts.inUse;
  }

  /**
   * Requests what a run needs from outside the object: the newest configuration and, if a turn `begins` at once, the
   * root of the workspace. Call it before the run is stored: the output gate holds back later requests until then.
   */
  prefetch({ agentId, input: { origin }, configRevision }: AcceptRequest, begins: boolean): Prefetched {
    const configured = this.#deps.configured.refresh(configRevision);
    if (!begins || !originRules(origin).isTurn) return { configured };
    try {
      const services = this.#deps.services();
      const agent = agentIn(services, agentId);
      if (agent.defaults.skipBootstrap) return { configured };
      const entries = listWorkspaceRoot(services, agent);
      this.#deps.waitUntil(listWorkspaceRootAhead(services, agent, Date.now()));
      return { configured, listing: { entries: entries.catch(() => undefined), services } };
    } catch (error) {
      writeLog("debug", "workspace.not_listed", { agentId, error: messageOf(error) });
      return { configured };
    }
  }

  /** Clears all state after the session's data was deleted. */
  forget(): void {
    this.#readEtags.clear();
    this.#prompts.forget();
    this.#deps.skills.forget();
    this.#deps.waitUntil(this.#browser.close());
  }

  /** Adds a run's input to the transcript, within the fence. */
  start(row: RunRow, input: RunInput): RunStart {
    const { store, log, services, hooks, session } = this.#deps;
    runQueuedCommandHooks(row, input, hooks);
    if (input.suspected !== undefined) {
      const labels = messageLabels(userMessage(input, { acceptedAt: row.acceptedAt, at: row.acceptedAt }));
      this.#suspect(row, { source: "channel_metadata", labels, patterns: input.suspected });
    }
    return startRun(row, input, {
      store,
      log,
      session: session(),
      lookUpModel: (word) => lookUpModel(services, word),
      resetPolicy: this.#resetPolicy(),
      now: Date.now(),
    });
  }

  /** Records a run that is merged into another, within the fence. */
  noteMerged(row: RunRow, input: RunInput): void {
    noteActivity(row, input, { store: this.#deps.store, resetPolicy: this.#resetPolicy() });
  }

  /**
   * Performs a run to its end; undefined if it pauses for an approval. The run keeps the newest configuration of its
   * start.
   */
  async run(run: ActiveRun, prefetched: Prefetched | undefined): Promise<RunResult | undefined> {
    const { configured } = this.#deps;
    await (prefetched?.configured ?? configured.refresh());
    const services = configured.hold();
    try {
      const { origin } = run.journal.state;
      if (origin?.kind === "command") return await runQueued(origin, queuedPort(run, this.#deps), run.signal);
      if (origin?.kind === "overheard") return { status: "ok", texts: [] };
      if (origin?.kind === "delivery") return noteResult(origin, Date.now());
      if (origin?.kind === "retry" && !isUnanswered(run.journal.context())) return nothingToRetry();
      const listing = prefetched?.listing?.services === services ? prefetched.listing.entries : undefined;
      return await this.#turn(run, turnContextOf(run, this.#deps.session(), services), listing);
    } finally {
      configured.release();
    }
  }

  async #turn(run: ActiveRun, context: TurnContext, listing?: Listing): Promise<RunResult | undefined> {
    const { store, log, fence, sender, files, lanes, skills, hooks, session, extraTools, waitUntil } = this.#deps;
    const { agent, services, principal } = context;
    const { target } = run.row;
    const output = openOutput(run, context, { ...this.#deps, random: Math.random });
    if (target !== null && context.origin.isAttended) waitUntil(sender.showTyping(target));
    const lane = laneOf(context);
    const take = context.origin.lane === "cron" ? keepSlot : takeSlot;
    const slot = take(lane, run.row.id, { lanes, config: services.config, waitUntil }, run.signal);
    const result = await takeTurn(run, context, {
      session: session(),
      log,
      hooks,
      output,
      files,
      prompts: this.#prompts,
      skills,
      ports: this.#ports(run, context),
      extraTools: [...services.plugins.tools, ...extraTools()],
      bootstrapCache: filesReadOf(agent.id),
      readEtags: this.#readEtags,
      listing: listing ?? Promise.resolve(undefined),
      resultAt: (seq) => readResult(store, seq),
      spokenIn: (ended, limit) => spokenMessages(store, ended, limit),
      noteWarned: (paths) => fence.write(() => saveSetting(store, "truncationWarned", [...paths])),
      audit: (lines) => this.#deps.audit.write(lines),
      suspect: (suspicion) => this.#suspect(run.row, suspicion),
      slot,
      budget: openRunBudget(run, agent, services.config, this.#deps),
    }).finally(async () => (await slot).release());
    if (principal.owner) skills.turnEnded(agent, services);
    if (principal.owner && target !== null) waitUntil(updateCommandMenu(target, this.#deps));
    waitUntil(startGateway(this.#deps, listing));
    waitUntil(endFirstConversation(agent, services, Date.now));
    return result;
  }

  #ports(run: ActiveRun, context: TurnContext): TurnPorts {
    const { subagents, processes } = this.#deps;
    return turnPorts(context, {
      sessions: sessionsPort({ run, agent: context.agent, subagents, deps: this.#deps }),
      outbox: outboxPort(run, this.#deps),
      jobs: jobsPort(run, context, { database: this.#deps.database, queue: this.#deps.schedule, now: this.#deps.now }),
      processes: processesPort(run, context, processes, this.#deps.store),
      browser: this.#browser,
      status: statusPort(run, this.#deps),
    });
  }

  /** Notes what looks like a prompt injection in the log and in the audit trail, without the words. */
  #suspect(row: Pick<RunRow, "id">, { source, labels, patterns }: Suspicion): void {
    const [subject, detail] = [labels.join(" "), patterns.join(" ")];
    writeLog("warn", "injection.suspected", { runId: row.id, source, from: subject, patterns: detail });
    this.#deps.audit.write([{ kind: "injection", by: source, subject, detail, runId: row.id }]);
  }

  #resetPolicy(): ResetPolicy | undefined {
    return resetPolicyFor(this.#deps.services, this.#deps.session().agentId);
  }
}
