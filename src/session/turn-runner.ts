import type { AnyTool } from "../agent/tool.ts";
import type { BudgetNamespace } from "../budgets/budget-state.ts";
import { budgetOf } from "../budgets/run-budget.ts";
import { noteCommand } from "../commands/command-hooks.ts";
import { carryOut } from "../commands/run-queued.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { filesReadOf } from "../services/bootstrap-caches.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import { agentIn, type Wiring } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/accept-request.ts";
import { resetPolicyIn } from "../session-store/new-conversation.ts";
import type { ResetPolicy } from "../session-store/reset-time.ts";
import type { Opening, RunInput } from "../session-store/run.ts";
import type { Conclusion } from "../session-store/run-result.ts";
import { noteSaid, openRun } from "../session-store/run-start.ts";
import type { RunRow } from "../session-store/runs.ts";
import { keepNote } from "../session-store/session-channel.ts";
import { saveSetting } from "../session-store/session-row.ts";
import { spokenIn } from "../session-store/spoken-messages.ts";
import { readResult } from "../session-store/transcript.ts";
import { sessionsPort } from "../subagents/sessions-port.ts";
import type { Family } from "../subagents/subagents.ts";
import type { FamilyRoom } from "../subagents/subagents-deps.ts";
import { ReadEtags } from "../tools/read-etags.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { endFirstConversation } from "../turn/first-conversation.ts";
import { openVoice } from "../turn/output/open-output.ts";
import { outboxPort } from "../turn/output/outbox-port.ts";
import { PromptKeeper } from "../turn/preview/prompt-keeper.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { takeTurn } from "../turn/turn.ts";
import type { PromptRoom } from "../turn/turn-deps.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import { keepMenu } from "./command-menu.ts";
import type { ObjectWiring } from "./config-holder.ts";
import type { Deliveries } from "./deliveries.ts";
import { startGateway } from "./gateway-start.ts";
import type { Lane } from "./lane.ts";
import { queuedPort } from "./queued-port.ts";
import { laneOf, takeSlot } from "./slot.ts";
import { statusPort } from "./status-port.ts";

/** What performing runs needs of the object that it is done for. */
export interface PerformerRoom extends FamilyRoom {
  configured: ObjectWiring;
  deliveries: Deliveries;
  hooks: SessionHooks;
  files: R2Bucket;
  database: D1Database;
  lanes: DurableObjectNamespace<Lane>;
  budgets: BudgetNamespace;
  family: Family;
  skills: SessionSkills;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** What was asked for before the run which it is for was stored. No promise of it rejects. */
export interface Ahead {
  /** Resolves when the newest configuration is known. */
  asked: Promise<void>;
  /** The root of the workspace, as far as the configuration is still the one that said which. */
  listing?: { entries: Listing; wiring: Wiring };
}

type Listing = Promise<WorkspaceEntry[] | undefined>;

/** Does the work of a session's runs, and remembers between them what the agent has read. */
export class Performer {
  readonly #room: PerformerRoom;
  readonly #readEtags = new ReadEtags();
  readonly #prompts: PromptKeeper;
  #ahead: Ahead | undefined;

  constructor(room: PerformerRoom) {
    this.#room = room;
    this.#prompts = new PromptKeeper(room);
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
  lookAhead({ agentId, input: { origin }, configRevision }: AcceptRequest, begins: boolean): Ahead {
    const asked = this.#room.configured.ask(configRevision);
    if (!begins || origin?.kind === "command" || origin?.kind === "delivery") return { asked };
    try {
      const wiring = this.#room.wiring();
      const agent = agentIn(wiring, agentId);
      if (agent.defaults.skipBootstrap) return { asked };
      const entries = wiring.workspaceOf(agent).list("");
      return { asked, listing: { entries: entries.catch(() => undefined), wiring } };
    } catch (error) {
      writeLog("debug", "workspace.not_listed", { agentId, error: messageOf(error) });
      return { asked };
    }
  }

  /** Gives what was asked for to the run that begins in this very moment, if one does. */
  withAhead(ahead: Ahead, begin: () => void): void {
    this.#ahead = ahead;
    begin();
    this.#ahead = undefined;
  }

  /** Forgets what the agent has read, so that the next overwrite of a file needs a new look at it, and was sent. */
  forget(): void {
    this.#readEtags.clear();
    this.#prompts.forget();
    this.#room.skills.forget();
  }

  /** Puts what a run was asked into the transcript, within the fence. */
  open(row: RunRow, input: RunInput): Opening {
    const { store, log, wiring } = this.#room;
    const names = { lookUpModel: (word: string) => lookUpModel(wiring, word) };
    noteCommand(row, input, this.#room.hooks);
    return openRun(row, input, {
      store,
      log,
      owner: this.#room.owner(),
      ...names,
      resetPolicy: this.#resetPolicy(),
      now: Date.now(),
    });
  }

  /** Takes note of a run that joins another, within the fence. */
  noteJoined(row: RunRow, input: RunInput): void {
    noteSaid(row, input, { store: this.#room.store, resetPolicy: this.#resetPolicy() });
  }

  /** Has the turn of a run, to its end with the configuration that is the newest now; undefined where it has paused. */
  async perform(run: ActiveRun): Promise<Conclusion | undefined> {
    const { configured } = this.#room;
    const { asked, listing } = this.#ahead ?? { asked: configured.ask() };
    await asked;
    const wiring = configured.hold();
    const entries = listing?.wiring === wiring ? listing.entries : undefined;
    return this.#perform(run, wiring, entries).finally(() => configured.release());
  }

  async #perform(run: ActiveRun, wiring: Wiring, listing: Listing | undefined): Promise<Conclusion | undefined> {
    const { store, log, fence, deliveries, files, lanes, waitUntil } = this.#room;
    const { target } = run.row;
    const { origin } = run.journal.state;
    if (origin?.kind === "command") return carryOut(origin, queuedPort(run, this.#room), run.signal);
    if (origin?.kind === "delivery") return keepNote(origin, Date.now());
    const owner = this.#room.owner();
    const voice = openVoice(run, this.#room);
    if (target !== null) waitUntil(deliveries.showTyping(target));
    const slot = takeSlot(
      laneOf(owner.key, run.journal.state.origin),
      run.row.id,
      { lanes, config: wiring.config, waitUntil },
      run.signal,
    );
    const conclusion = await takeTurn(run, {
      ...this.#promptRoom(run, listing),
      log,
      voice,
      files,
      prompts: this.#prompts,
      skills: this.#room.skills,
      resultAt: (seq) => readResult(store, seq),
      spokenIn: (ended, limit) => spokenIn(store, ended, limit),
      noteWarned: (paths) => fence.write(() => saveSetting(store, "truncationWarned", [...paths])),
      slot,
      budget: budgetOf(run, agentIn(wiring, owner.agentId), wiring.config, this.#room),
    }).finally(async () => (await slot).release());
    if (run.speaker.owner) this.#room.skills.turnEnded(agentIn(wiring, owner.agentId), wiring);
    if (run.speaker.owner && target !== null) waitUntil(keepMenu(target, this.#room));
    waitUntil(startGateway(this.#room, listing));
    waitUntil(endFirstConversation(agentIn(wiring, owner.agentId), wiring, Date.now));
    return conclusion;
  }

  /** What the run's system prompt is made from. */
  #promptRoom(run: ActiveRun, listing?: Listing): PromptRoom {
    const { hooks, family } = this.#room;
    const wiring = this.#room.wiring();
    const owner = this.#room.owner();
    return {
      owner,
      wiring,
      hooks,
      bootstrapCache: filesReadOf(owner.agentId),
      readEtags: this.#readEtags,
      sessions: sessionsPort({ run, agent: agentIn(wiring, owner.agentId), family, room: this.#room }),
      status: statusPort(run, this.#room),
      outbox: outboxPort(run, this.#room),
      extraTools: [...wiring.plugins.tools, ...this.#room.extraTools()],
      listing: listing ?? Promise.resolve(undefined),
    };
  }

  #resetPolicy(): ResetPolicy | undefined {
    return resetPolicyIn(this.#room.wiring, this.#room.owner().agentId);
  }
}
