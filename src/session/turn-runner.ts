import type { AnyTool } from "../agent/tool.ts";
import type { BudgetNamespace } from "../budgets/budget-state.ts";
import { openRunBudget } from "../budgets/run-budget.ts";
import { runQueued, runQueuedCommandHooks } from "../commands/dispatch.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { filesReadOf } from "../services/bootstrap-caches.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { RunInput, RunStart } from "../session-store/run.ts";
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
import { endFirstConversation } from "../turn/first-conversation.ts";
import { openOutput } from "../turn/output/open-output.ts";
import { outboxPort } from "../turn/output/outbox-port.ts";
import { PromptKeeper } from "../turn/preview/prompt-keeper.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { takeTurn } from "../turn/turn.ts";
import type { PromptDeps } from "../turn/turn-deps.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import { updateCommandMenu } from "./command-menu.ts";
import type { ConfigSnapshot } from "./config-holder.ts";
import type { Deliveries } from "./deliveries.ts";
import { startGateway } from "./gateway-start.ts";
import type { Lane } from "./lane.ts";
import { queuedPort } from "./queued-port.ts";
import { laneOf, takeSlot } from "./slot.ts";
import { statusPort } from "./status-port.ts";

/** What performing runs needs of the object that it is done for. */
export interface TurnRunnerDeps extends SubagentsDeps {
  configured: ConfigSnapshot;
  deliveries: Deliveries;
  hooks: SessionHooks;
  files: R2Bucket;
  database: D1Database;
  lanes: DurableObjectNamespace<Lane>;
  budgets: BudgetNamespace;
  family: Subagents;
  skills: SessionSkills;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** What was asked for before the run which it is for was stored. No promise of it rejects. */
export interface Prefetched {
  /** Resolves when the newest configuration is known. */
  asked: Promise<void>;
  /** The root of the workspace, as far as the configuration is still the one that said which. */
  listing?: { entries: Listing; services: Services };
}

type Listing = Promise<WorkspaceEntry[] | undefined>;

/** Does the work of a session's runs, and remembers between them what the agent has read. */
export class TurnRunner {
  readonly #deps: TurnRunnerDeps;
  readonly #readEtags = new ReadEtags();
  readonly #prompts: PromptKeeper;
  #ahead: Prefetched | undefined;

  constructor(deps: TurnRunnerDeps) {
    this.#deps = deps;
    this.#prompts = new PromptKeeper(deps);
  }

  /** Hashes of what models are being sent now. */
  get promptsInUse(): ReadonlySet<string> {
    return this.#prompts.inUse;
  }

  /**
   * Asks for what a run needs of the world first: whether the configuration is another, and, where one `begins` that
   * shows it to a model, for the root of the workspace. To be called before it is stored: whatever leaves the object
   * after that waits until it is.
   */
  lookAhead({ agentId, input: { origin }, configRevision }: AcceptRequest, begins: boolean): Prefetched {
    const asked = this.#deps.configured.ask(configRevision);
    if (!begins || origin?.kind === "command" || origin?.kind === "delivery") return { asked };
    try {
      const services = this.#deps.services();
      const agent = agentIn(services, agentId);
      if (agent.defaults.skipBootstrap) return { asked };
      const entries = services.workspaceOf(agent).list("");
      return { asked, listing: { entries: entries.catch(() => undefined), services } };
    } catch (error) {
      writeLog("debug", "workspace.not_listed", { agentId, error: messageOf(error) });
      return { asked };
    }
  }

  /** Gives what was asked for to the run that begins in this very moment, if one does. */
  withAhead(ahead: Prefetched, begin: () => void): void {
    this.#ahead = ahead;
    begin();
    this.#ahead = undefined;
  }

  /** Forgets what the agent has read, so that the next overwrite of a file needs a new look at it, and was sent. */
  forget(): void {
    this.#readEtags.clear();
    this.#prompts.forget();
    this.#deps.skills.forget();
  }

  /** Puts what a run was asked into the transcript, within the fence. */
  open(row: RunRow, input: RunInput): RunStart {
    const { store, log, services } = this.#deps;
    const names = { lookUpModel: (word: string) => lookUpModel(services, word) };
    runQueuedCommandHooks(row, input, this.#deps.hooks);
    return startRun(row, input, {
      store,
      log,
      owner: this.#deps.owner(),
      ...names,
      resetPolicy: this.#resetPolicy(),
      now: Date.now(),
    });
  }

  /** Takes note of a run that joins another, within the fence. */
  noteJoined(row: RunRow, input: RunInput): void {
    noteActivity(row, input, { store: this.#deps.store, resetPolicy: this.#resetPolicy() });
  }

  /** Has the turn of a run, to its end with the configuration that is the newest now; undefined where it has paused. */
  async perform(run: ActiveRun): Promise<RunResult | undefined> {
    const { configured } = this.#deps;
    const { asked, listing } = this.#ahead ?? { asked: configured.ask() };
    await asked;
    const services = configured.hold();
    const entries = listing?.services === services ? listing.entries : undefined;
    return this.#perform(run, services, entries).finally(() => configured.release());
  }

  async #perform(run: ActiveRun, services: Services, listing: Listing | undefined): Promise<RunResult | undefined> {
    const { store, log, fence, deliveries, files, lanes, waitUntil } = this.#deps;
    const { target } = run.row;
    const { origin } = run.journal.state;
    if (origin?.kind === "command") return runQueued(origin, queuedPort(run, this.#deps), run.signal);
    if (origin?.kind === "delivery") return noteResult(origin, Date.now());
    const owner = this.#deps.owner();
    const output = openOutput(run, this.#deps);
    if (target !== null) waitUntil(deliveries.showTyping(target));
    const slot = takeSlot(
      laneOf(owner.key, run.journal.state.origin),
      run.row.id,
      { lanes, config: services.config, waitUntil },
      run.signal,
    );
    const result = await takeTurn(run, {
      ...this.#promptRoom(run, listing),
      log,
      output,
      files,
      prompts: this.#prompts,
      skills: this.#deps.skills,
      resultAt: (seq) => readResult(store, seq),
      spokenIn: (ended, limit) => spokenMessages(store, ended, limit),
      noteWarned: (paths) => fence.write(() => saveSetting(store, "truncationWarned", [...paths])),
      slot,
      budget: openRunBudget(run, agentIn(services, owner.agentId), services.config, this.#deps),
    }).finally(async () => (await slot).release());
    if (run.principal.owner) this.#deps.skills.turnEnded(agentIn(services, owner.agentId), services);
    if (run.principal.owner && target !== null) waitUntil(updateCommandMenu(target, this.#deps));
    waitUntil(startGateway(this.#deps, listing));
    waitUntil(endFirstConversation(agentIn(services, owner.agentId), services, Date.now));
    return result;
  }

  /** What the run's system prompt is made from. */
  #promptRoom(run: ActiveRun, listing?: Listing): PromptDeps {
    const { hooks, family } = this.#deps;
    const services = this.#deps.services();
    const owner = this.#deps.owner();
    return {
      owner,
      services,
      hooks,
      bootstrapCache: filesReadOf(owner.agentId),
      readEtags: this.#readEtags,
      sessions: sessionsPort({ run, agent: agentIn(services, owner.agentId), subagents: family, deps: this.#deps }),
      status: statusPort(run, this.#deps),
      outbox: outboxPort(run, this.#deps),
      extraTools: [...services.plugins.tools, ...this.#deps.extraTools()],
      listing: listing ?? Promise.resolve(undefined),
    };
  }

  #resetPolicy(): ResetPolicy | undefined {
    return resetPolicyFor(this.#deps.services, this.#deps.owner().agentId);
  }
}
