import type { Agent } from "../../config/agents.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { agentIn, type Services } from "../../services/services.ts";
import { scanSkills } from "../../services/skills/scan-skills.ts";
import type { ScannedSkill } from "../../services/skills/scanned-skills.ts";
import { skillRootsKey } from "../../services/skills/skill-roots.ts";
import { NO_SKILLS, type TurnSkills } from "../../services/skills/turn-skills.ts";
import { gateScannedSkills, turnSkills } from "../../services/skills/turn-skills-of.ts";
import type { Fence } from "../../session-store/fence.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import {
  isSameScan,
  readSnapshot,
  type SkillSnapshot,
  takeSnapshot,
  writeSnapshot,
} from "../../session-store/skill-snapshot.ts";
import type { Store } from "../../session-store/store.ts";
import type { ScanHead } from "../../session-store/stored-shapes.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { TurnContext } from "../turn-context.ts";
import { Debounce } from "./debounce.ts";

/** What the skills of a session need of the object that it is in. */
export interface SessionSkillsDeps {
  store: Store;
  fence: Fence;
  owner(): SessionRow;
  services(): Services;
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Whose turn skills are wanted for, and what is known already. */
export interface SkillsRequest {
  turnContext: Pick<TurnContext, "principal">;
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
  readonly #deps: SessionSkillsDeps;
  readonly #debounce = new Debounce();
  /** Whether a turn began before the look that was due: after it nothing is waited for, or turns in a row would never have one. */
  #isOverdue = false;
  /** What is stored, once it was read; null where nothing is. */
  #stored: SkillSnapshot | null | undefined;
  /** Looks are numbered: one that began before the one whose findings were kept comes too late. */
  #begun = 0;
  #kept = 0;

  constructor(deps: SessionSkillsDeps) {
    this.#deps = deps;
  }

  /** Those of a turn that begins now: without asking any store, unless the conversation is new or skills were changed. */
  async forTurn(request: SkillsRequest): Promise<TurnSkills> {
    if (!request.turnContext.principal.owner) return NO_SKILLS;
    this.#isOverdue = this.#debounce.cancel() || this.#isOverdue;
    const { agent, listing } = request;
    const services = this.#deps.services();
    const known = this.#snapshot();
    const now = this.#headOf(agent, services);
    const isNow = known !== undefined && !isOld(known, now, services);
    return turnSkills(isNow ? known.scanned : await this.#look(agent, services, await listing), agent, services);
  }

  /** The same for who only wants to see what a turn would get: nothing is stored. */
  async lookOnly({ turnContext, agent, listing }: SkillsRequest): Promise<TurnSkills> {
    if (!turnContext.principal.owner) return NO_SKILLS;
    const services = this.#deps.services();
    const known = this.#snapshot();
    const isNow = known !== undefined && !isOld(known, this.#headOf(agent, services), services);
    const { scanned } = isNow ? known : await scanSkills(agent, services, await listing);
    return turnSkills(scanned, agent, services);
  }

  /** Those that were found last, judged by the configuration in force. No store is asked. */
  known(): SkillSet {
    const services = this.#deps.services();
    const agent = agentIn(services, this.#deps.owner().agentId);
    return gateScannedSkills(this.#snapshot()?.scanned ?? [], agent, services);
  }

  /** A turn is over: soon after it, unless another one begins before, is looked for what the next one is to have. */
  turnEnded(agent: Agent, services: Services): void {
    const { watch, watchDebounceMs } = services.config.skills.load;
    if (!watch) return;
    const afterMs = this.#isOverdue ? 0 : watchDebounceMs;
    this.#isOverdue = false;
    this.#deps.waitUntil(this.#debounce.after(afterMs, () => this.#lookAgain(agent, services)));
  }

  /** Everything was deleted. */
  forget(): void {
    this.#debounce.cancel();
    this.#stored = undefined;
    this.#begun += 1;
    this.#kept = this.#begun;
  }

  async #lookAgain(agent: Agent, services: Services): Promise<void> {
    try {
      await this.#look(agent, services, undefined);
    } catch (error) {
      log("warn", "skills.not_looked_at", { agentId: agent.id, error: messageOf(error) });
    }
  }

  /** Looks, keeps what was found, and gives it. Where a store does not answer, what was known stays. */
  async #look(
    agent: Agent,
    services: Services,
    listing: WorkspaceEntry[] | undefined,
  ): Promise<readonly ScannedSkill[]> {
    this.#begun += 1;
    const number = this.#begun;
    const head = this.#headOf(agent, services);
    const { scanned, unanswered } = await scanSkills(agent, services, listing, true);
    const [missing] = unanswered;
    if (missing === undefined) {
      this.#keep(number, await takeSnapshot(head, scanned));
      return scanned;
    }
    const known = this.#snapshot();
    const left = known === undefined ? "what answered" : "what was found before";
    log("warn", "skills.no_answer", { agentId: agent.id, place: missing.location, why: missing.reason, left });
    return known?.scanned ?? scanned;
  }

  #keep(number: number, found: SkillSnapshot): void {
    if (number < this.#kept) return;
    this.#kept = number;
    const before = this.#snapshot();
    if (before !== undefined && before.digest === found.digest && isSameScan(before, found)) return;
    const { store, fence } = this.#deps;
    fence.write(() => writeSnapshot(store, found, before));
    this.#stored = found;
  }

  #snapshot(): SkillSnapshot | undefined {
    this.#stored ??= readSnapshot(this.#deps.store) ?? null;
    return this.#stored ?? undefined;
  }

  #headOf(agent: Agent, services: Services): Omit<ScanHead, "digest"> {
    const { sessionId } = this.#deps.owner();
    return { sessionId, changes: services.skillChanges(), places: skillRootsKey(agent, services) };
  }
}

/** Whether a snapshot is not to be worked with any more. Without watching it is for as long as its conversation lasts. */
function isOld(known: ScanHead, now: Omit<ScanHead, "digest">, { config }: Services): boolean {
  if (known.sessionId !== now.sessionId || known.places !== now.places) return true;
  return config.skills.load.watch && known.changes !== now.changes;
}
