import type { Agent } from "../../config/agents.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { agentIn, type Wiring } from "../../services/services.ts";
import { lookAtSkills } from "../../services/skills/scan-skills.ts";
import type { Finding } from "../../services/skills/scanned-skills.ts";
import { placesOf } from "../../services/skills/skill-roots.ts";
import { NO_SKILLS, type TurnSkills } from "../../services/skills/turn-skills.ts";
import { gated, skillsOf } from "../../services/skills/turn-skills-of.ts";
import type { Fence } from "../../session-store/fence.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import {
  isSameLook,
  type LookHead,
  readSnapshot,
  type Snapshot,
  snapshotOf,
  writeSnapshot,
} from "../../session-store/skill-snapshot.ts";
import type { Store } from "../../session-store/store.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Occasion } from "../turn-context.ts";
import { Debounce } from "./debounce.ts";

/** What the skills of a session need of the object that it is in. */
export interface SkillsRoom {
  store: Store;
  fence: Fence;
  owner(): SessionRow;
  wiring(): Wiring;
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Whose turn skills are wanted for, and what is known already. */
export interface SkillsRequest {
  occasion: Pick<Occasion, "speaker">;
  agent: Agent;
  /** The root of the workspace, where it was listed. */
  listing: Promise<WorkspaceEntry[] | undefined>;
}

/** Who gives a turn its skills. */
export interface SkillsSource {
  /** Never rejects because a store does not answer: then there are fewer of them, or older ones. */
  forTurn(request: SkillsRequest): Promise<TurnSkills>;
}

/**
 * The skills of one session: looked for at the start of a conversation, kept in its database, and looked for again after each
 * turn. Which of them may be used is decided anew in each turn.
 */
export class SessionSkills implements SkillsSource {
  readonly #room: SkillsRoom;
  readonly #debounce = new Debounce();
  /** Whether a turn began before the look that was due: after it nothing is waited for, or turns in a row would never have one. */
  #isOverdue = false;
  /** What is stored, once it was read; null where nothing is. */
  #stored: Snapshot | null | undefined;
  /** Looks are numbered: one that began before the one whose findings were kept comes too late. */
  #begun = 0;
  #kept = 0;

  constructor(room: SkillsRoom) {
    this.#room = room;
  }

  /** Those of a turn that begins now: without asking any store, unless the conversation is new or skills were changed. */
  async forTurn(request: SkillsRequest): Promise<TurnSkills> {
    if (!request.occasion.speaker.owner) return NO_SKILLS;
    this.#isOverdue = this.#debounce.cancel() || this.#isOverdue;
    const { agent, listing } = request;
    const wiring = this.#room.wiring();
    const known = this.#snapshot();
    const now = this.#headOf(agent, wiring);
    const isNow = known !== undefined && !isOld(known, now, wiring);
    return skillsOf(isNow ? known.findings : await this.#look(agent, wiring, await listing), agent, wiring);
  }

  /** The same for who only wants to see what a turn would get: nothing is stored. */
  async lookOnly({ occasion, agent, listing }: SkillsRequest): Promise<TurnSkills> {
    if (!occasion.speaker.owner) return NO_SKILLS;
    const wiring = this.#room.wiring();
    const known = this.#snapshot();
    const isNow = known !== undefined && !isOld(known, this.#headOf(agent, wiring), wiring);
    const { findings } = isNow ? known : await lookAtSkills(agent, wiring, await listing);
    return skillsOf(findings, agent, wiring);
  }

  /** Those that were found last, judged by the configuration in force. No store is asked. */
  known(): SkillSet {
    const wiring = this.#room.wiring();
    const agent = agentIn(wiring, this.#room.owner().agentId);
    return gated(this.#snapshot()?.findings ?? [], agent, wiring);
  }

  /** A turn is over: soon after it, unless another one begins before, is looked for what the next one is to have. */
  turnEnded(agent: Agent, wiring: Wiring): void {
    const { watch, watchDebounceMs } = wiring.config.skills.load;
    if (!watch) return;
    const afterMs = this.#isOverdue ? 0 : watchDebounceMs;
    this.#isOverdue = false;
    this.#room.waitUntil(this.#debounce.after(afterMs, () => this.#lookAgain(agent, wiring)));
  }

  /** Everything was deleted. */
  forget(): void {
    this.#debounce.cancel();
    this.#stored = undefined;
    this.#begun += 1;
    this.#kept = this.#begun;
  }

  async #lookAgain(agent: Agent, wiring: Wiring): Promise<void> {
    try {
      await this.#look(agent, wiring, undefined);
    } catch (error) {
      log("warn", "skills.not_looked_at", { agentId: agent.id, error: messageOf(error) });
    }
  }

  /** Looks, keeps what was found, and gives it. Where a store does not answer, what was known stays. */
  async #look(agent: Agent, wiring: Wiring, listing: WorkspaceEntry[] | undefined): Promise<readonly Finding[]> {
    this.#begun += 1;
    const number = this.#begun;
    const head = this.#headOf(agent, wiring);
    const { findings, unanswered } = await lookAtSkills(agent, wiring, listing, true);
    const [missing] = unanswered;
    if (missing === undefined) {
      this.#keep(number, await snapshotOf(head, findings));
      return findings;
    }
    const known = this.#snapshot();
    const left = known === undefined ? "what answered" : "what was found before";
    log("warn", "skills.no_answer", { agentId: agent.id, place: missing.location, why: missing.reason, left });
    return known?.findings ?? findings;
  }

  #keep(number: number, found: Snapshot): void {
    if (number < this.#kept) return;
    this.#kept = number;
    const before = this.#snapshot();
    if (before !== undefined && before.digest === found.digest && isSameLook(before, found)) return;
    const { store, fence } = this.#room;
    fence.write(() => writeSnapshot(store, found, before));
    this.#stored = found;
  }

  #snapshot(): Snapshot | undefined {
    this.#stored ??= readSnapshot(this.#room.store) ?? null;
    return this.#stored ?? undefined;
  }

  #headOf(agent: Agent, wiring: Wiring): Omit<LookHead, "digest"> {
    const { sessionId } = this.#room.owner();
    return { sessionId, changes: wiring.skillChanges(), places: placesOf(agent, wiring) };
  }
}

/** Whether a snapshot is not to be worked with any more. Without watching it is for as long as its conversation lasts. */
function isOld(known: LookHead, now: Omit<LookHead, "digest">, { config }: Wiring): boolean {
  if (known.sessionId !== now.sessionId || known.places !== now.places) return true;
  return config.skills.load.watch && known.changes !== now.changes;
}
