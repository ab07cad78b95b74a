import type { Agent } from "../../config/agents.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { agentIn, type Services } from "../../services/services.ts";
import { scanListedSkills, scanSkills } from "../../services/skills/scan-skills.ts";
import type { ScannedSkill } from "../../services/skills/scanned-skills.ts";
import { listSharedRoots, lookForChanges } from "../../services/skills/skill-listings.ts";
import { skillRootsKey } from "../../services/skills/skill-roots.ts";
import { gateScannedSkills, NO_SKILLS, type TurnSkills, turnSkills } from "../../services/skills/turn-skills.ts";
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
import type { SkillSet } from "../../skills/skill.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import { agentAt, type TurnTarget } from "../group-rules.ts";
import type { TurnContext } from "../turn-context.ts";

/** What a session's skills need of their Durable Object. */
export interface SessionSkillsDeps {
  store: Store;
  fence: Fence;
  session(): SessionRow;
  services(): Services;
  now(): number;
  /** Keeps the object alive for background work. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The turn that skills are needed for, and what is already known. */
export interface TurnSkillsRequest {
  turnContext: Pick<TurnContext, "principal">;
  agent: Agent;
  /** The root of the workspace, if it was listed. */
  listing: Promise<WorkspaceEntry[] | undefined>;
  /** What else the turn will need of the workspace, to be read beside a scan. Never rejects. */
  readAhead?: () => Promise<void>;
}

/** Provides the skills of turns. */
export interface SkillsSource {
  /** Never rejects if a store does not answer: there are fewer skills then, or those of an earlier scan. */
  forTurn(request: TurnSkillsRequest): Promise<TurnSkills>;
}

/**
 * The skills of one session: scanned at the start of a conversation and after each turn, and stored in its database.
 * Which of them may be used is decided in each turn.
 */
export class SessionSkills implements SkillsSource {
  readonly #deps: SessionSkillsDeps;
  readonly #debounce = new Debounce();
  /**
   * Whether a turn began before a due scan. The next scan then starts without delay, or successive turns would postpone
   * it forever.
   */
  #isOverdue = false;
  /** The stored snapshot, once it was read; null if there is none. */
  #stored: SkillSnapshot | null | undefined;
  /** Scans are numbered: the result of one that began before the stored one is dropped. */
  #lastStarted = 0;
  /** What the last look found, and what else decided its scan. */
  #looked: { head: string; listings: readonly unknown[] } = { head: "", listings: [] };
  #lastStored = 0;

  constructor(deps: SessionSkillsDeps) {
    this.#deps = deps;
  }

  /**
   * The skills of a turn that begins now. No store is accessed unless the conversation is new or skills have changed.
   */
  async forTurn(request: TurnSkillsRequest): Promise<TurnSkills> {
    if (!request.turnContext.principal.owner) return NO_SKILLS;
    this.#isOverdue = this.#debounce.cancel() || this.#isOverdue;
    const { agent, listing } = request;
    const services = this.#deps.services();
    const known = this.#snapshot();
    const now = this.#scanHead(agent, services);
    if (known !== undefined && !isStale(known, now, services)) return turnSkills(known.scanned, agent, services);
    await Promise.all([listing, listSharedRoots(agent, services)]);
    const [scanned] = await Promise.all([this.#scan(agent, services, "fresh"), request.readAhead?.()]);
    return turnSkills(scanned, agent, services);
  }

  /** The skills that a turn would get; nothing is stored. */
  async forPreview({ turnContext, agent, listing }: TurnSkillsRequest): Promise<TurnSkills> {
    if (!turnContext.principal.owner) return NO_SKILLS;
    const services = this.#deps.services();
    const known = this.#snapshot();
    const isCurrent = known !== undefined && !isStale(known, this.#scanHead(agent, services), services);
    const { scanned } = isCurrent ? known : await scanSkills(agent, services, await listing);
    return turnSkills(scanned, agent, services);
  }

  /** The skills of the last scan that may be used in a conversation now. No store is accessed. */
  known(target: TurnTarget): SkillSet {
    const services = this.#deps.services();
    const agent = agentAt(agentIn(services, this.#deps.session().agentId), target, services);
    return gateScannedSkills(this.#snapshot()?.scanned ?? [], agent, services);
  }

  /** Schedules a scan for the next turn, which is cancelled if that turn begins first. */
  turnEnded(agent: Agent, services: Services): void {
    const { watch, watchDebounceMs } = services.config.skills.load;
    if (!watch) return;
    const afterMs = this.#isOverdue ? 0 : watchDebounceMs;
    this.#isOverdue = false;
    const endedAt = this.#deps.now();
    this.#deps.waitUntil(this.#debounce.after(afterMs, () => this.#rescan(agent, services, endedAt)));
  }

  /** Drops all state after the session's data was deleted. */
  forget(): void {
    this.#debounce.cancel();
    this.#stored = undefined;
    this.#lastStarted += 1;
    this.#lastStored = this.#lastStarted;
  }

  async #rescan(agent: Agent, services: Services, endedAt: number): Promise<void> {
    try {
      const listings = await lookForChanges(agent, services, endedAt, this.#deps.now());
      const head = JSON.stringify(this.#scanHead(agent, services));
      const isSame =
        head === this.#looked.head && listings.every((listing, at) => listing === this.#looked.listings[at]);
      if (isSame && listings.length === this.#looked.listings.length) return;
      await this.#scan(agent, services, "known");
      this.#looked = { head, listings };
    } catch (error) {
      log("warn", "skills.not_looked_at", { agentId: agent.id, error: messageOf(error) });
    }
  }

  /** Scans, stores and returns the skills. If a store does not answer, the stored snapshot is used. */
  async #scan(agent: Agent, services: Services, age: "fresh" | "known"): Promise<readonly ScannedSkill[]> {
    this.#lastStarted += 1;
    const number = this.#lastStarted;
    const head = this.#scanHead(agent, services);
    const { scanned, unanswered } = await scanListedSkills(agent, services, age);
    const [missing] = unanswered;
    if (missing === undefined) {
      this.#storeIfNew(number, await takeSnapshot(head, scanned));
      return scanned;
    }
    const known = this.#snapshot();
    const left = known === undefined ? "what answered" : "what was found before";
    log("warn", "skills.no_answer", { agentId: agent.id, place: missing.location, why: missing.reason, left });
    return known?.scanned ?? scanned;
  }

  #storeIfNew(number: number, found: SkillSnapshot): void {
    if (number < this.#lastStored) return;
    this.#lastStored = number;
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

  #scanHead(agent: Agent, services: Services): Omit<ScanHead, "digest"> {
    const { sessionId } = this.#deps.session();
    return { sessionId, changes: services.skillChanges(), places: skillRootsKey(agent, services) };
  }
}

/** Whether a snapshot may no longer be used. Without watching, it is valid for its whole conversation. */
function isStale(known: ScanHead, now: Omit<ScanHead, "digest">, { config }: Services): boolean {
  if (known.sessionId !== now.sessionId || known.places !== now.places) return true;
  return config.skills.load.watch && known.changes !== now.changes;
}

/** The skills that the first turn of a new session would have: they are scanned, and nothing is stored. */
export function freshSkills(services: Services): SkillsSource {
  return {
    async forTurn({ turnContext, agent, listing }) {
      if (!turnContext.principal.owner) return NO_SKILLS;
      const { scanned } = await scanSkills(agent, services, await listing);
      return turnSkills(scanned, agent, services);
    },
  };
}

/** Delayed work that newer work replaces. */
class Debounce {
  #cancel: (() => void) | undefined;

  /**
   * Runs the work after some milliseconds, unless it is cancelled or replaced before. Resolves when it has run, or will
   * not run.
   */
  async after(ms: number, work: () => Promise<void>): Promise<void> {
    this.cancel();
    if (await this.#isQuietFor(ms)) await work();
  }

  /** Cancels waiting work; running work continues. Returns whether work was waiting. */
  cancel(): boolean {
    const waited = this.#cancel !== undefined;
    this.#cancel?.();
    this.#cancel = undefined;
    return waited;
  }

  #isQuietFor(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#cancel = undefined;
        resolve(true);
      }, ms);
      this.#cancel = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}
