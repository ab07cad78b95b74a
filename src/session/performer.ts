import type { AnyTool } from "../agent/tool.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { ReadEtags } from "../tools/read-etags.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import type { AcceptRequest } from "./api.ts";
import type { Budget } from "./budget.ts";
import { budgetOf } from "./budgets/run-budget.ts";
import type { ObjectWiring } from "./configuration/object-wiring.ts";
import { keepMenu } from "./delivery/command-menu.ts";
import type { Deliveries } from "./delivery/deliveries.ts";
import { keepNote } from "./delivery/delivery-note.ts";
import { openVoice } from "./delivery/open-voice.ts";
import { outboxPort } from "./delivery/outbox-port.ts";
import { carryOut } from "./desk/carry-out.ts";
import { noteCommand } from "./desk/command-note.ts";
import { queuedPort } from "./desk/queued-port.ts";
import { statusPort } from "./desk/status-port.ts";
import type { ActiveRun } from "./engine.ts";
import type { Family } from "./family/family.ts";
import type { FamilyRoom } from "./family/family-room.ts";
import { sessionsPort } from "./family/sessions-port.ts";
import { startGateway } from "./hooked/gateway-start.ts";
import type { SessionHooks } from "./hooked/session-hooks.ts";
import { PromptKeeper } from "./inspect/prompt-keeper.ts";
import type { Lane } from "./lane.ts";
import type { Conclusion } from "./run/conclusion.ts";
import { noteSaid, openRun } from "./run/opening.ts";
import type { Opening, RunInput } from "./run/run.ts";
import type { RunRow } from "./run/runs.ts";
import { laneOf, takeSlot } from "./run/slot.ts";
import type { SessionSkills } from "./skills/session-skills.ts";
import { saveSetting } from "./store/session-row.ts";
import { spokenIn } from "./transcript/spoken-messages.ts";
import { readResult } from "./transcript/transcript.ts";
import { endFirstConversation } from "./turn/first-conversation.ts";
import { lookUpModel } from "./turn/model-choice.ts";
import { resetPolicyIn } from "./turn/reset.ts";
import type { ResetPolicy } from "./turn/reset-time.ts";
import { filesReadOf } from "./turn/shared-files.ts";
import type { PromptRoom } from "./turn/turn-room.ts";
import { takeTurn } from "./turn.ts";
import { agentIn, type Wiring } from "./wiring.ts";

/** What performing runs needs of the object that it is done for. */
export interface PerformerRoom extends FamilyRoom {
  configured: ObjectWiring;
  deliveries: Deliveries;
  hooks: SessionHooks;
  files: R2Bucket;
  database: D1Database;
  lanes: DurableObjectNamespace<Lane>;
  budgets: DurableObjectNamespace<Budget>;
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
