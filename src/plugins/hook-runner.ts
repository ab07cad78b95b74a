import { messageOf } from "../lib/errors.ts";
import type { log as writeLog } from "../lib/log.ts";
import type { AnyHookOwner, AsyncHookTable, Hook, HookContext, HookScope, SyncHookTable } from "./hook.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hook-map.ts";
import { type MergeRule, RULES } from "./hook-merge.ts";

/** How long one hook may take before it is given up. */
export const HOOK_TIMEOUT_MS = 5000;

interface AnyHookPoint {
  event: unknown;
  answer: unknown;
}

/** How an event came out. */
export interface HookOutcome<Point extends AnyHookPoint> {
  /** As the hooks have changed it. */
  event: Point["event"];
  /** What they answered together; undefined where nobody did. */
  merged: Point["answer"] | undefined;
  /** Who answered what, in the order in which they ran. */
  answers: readonly { by: string; answer: Point["answer"] }[];
}

/**
 * Runs the hooks of plugins, one after the other, the highest priority first. Never rejects or throws: a hook that does,
 * or takes too long, is logged and skipped, or counts as what the rule of its event says. Where nobody has a hook for an
 * event, that costs one look into a set.
 */
export interface Hooks {
  /** Whether anybody has a hook for an event. */
  has(name: HookName | SyncHookName): boolean;
  run<Name extends HookName>(
    name: Name,
    event: HookMap[Name]["event"],
    place: () => HookScope,
  ): Promise<HookOutcome<HookMap[Name]>>;
  runSync<Name extends SyncHookName>(
    name: Name,
    event: SyncHookMap[Name]["event"],
    place: () => HookScope,
  ): HookOutcome<SyncHookMap[Name]>;
}

export interface HooksOptions {
  log: typeof writeLog;
  timeoutMs?: number;
}

/** Brings the hooks of some owners together; of equal priorities, whoever is listed first runs first. */
export function createHooks(owners: readonly AnyHookOwner[], options: HooksOptions): Hooks {
  const { log, timeoutMs = HOOK_TIMEOUT_MS } = options;
  const names = new Set(owners.flatMap(({ hooks }) => Object.keys(hooks)));
  const failed = (hook: string, plugin: string, error: unknown) => {
    log("error", "hook.failed", { hook, plugin, error: messageOf(error) });
  };
  return {
    has: (name) => names.has(name),
    async run<Name extends HookName>(name: Name, event: HookMap[Name]["event"], place: () => HookScope) {
      const rule: PointRule<HookMap[Name]> = RULES[name];
      let outcome = initialOutcome<HookMap[Name]>(event);
      if (!names.has(name)) return outcome;
      const where = place();
      for (const { by, settings, run } of inOrder(owners, (hooks: AsyncHooks) => hooks[name])) {
        const timer = new HookTimer(timeoutMs);
        try {
          const answer = run(outcome.event, hookContext(where, by, settings, timer.signal));
          outcome = withAnswer(outcome, rule, by, await Promise.race([answer, timer.up]));
        } catch (error) {
          failed(name, by, error);
          outcome = withAnswer(outcome, rule, by, rule.failed?.(by, messageOf(error)));
        } finally {
          timer.stop();
        }
        if (outcome.merged !== undefined && rule.isFinal(outcome.merged)) break;
      }
      return outcome;
    },
    runSync<Name extends SyncHookName>(name: Name, event: SyncHookMap[Name]["event"], place: () => HookScope) {
      const rule: PointRule<SyncHookMap[Name]> = RULES[name];
      let outcome = initialOutcome<SyncHookMap[Name]>(event);
      if (!names.has(name)) return outcome;
      const where = place();
      for (const { by, settings, run } of inOrder(owners, (hooks: SyncHooks) => hooks[name])) {
        try {
          const answer = run(outcome.event, hookContext(where, by, settings, new AbortController().signal));
          outcome = withAnswer(outcome, rule, by, refusePromise(answer));
        } catch (error) {
          failed(name, by, error);
        }
      }
      return outcome;
    },
  };
}

type AsyncHooks = AsyncHookTable<unknown>;
type SyncHooks = SyncHookTable<unknown>;
type PointRule<Point extends AnyHookPoint> = MergeRule<Point["event"], Point["answer"]>;

/** The time that one hook has: `up` rejects when it is over. */
class HookTimer {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly up: Promise<never>;

  constructor(timeoutMs: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.up = promise;
    this.#timer = setTimeout(() => {
      this.#controller.abort();
      reject(new Error(`it took longer than ${timeoutMs} ms`));
    }, timeoutMs);
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** What one owner does at one moment. */
interface RegisteredHook<Run> {
  by: string;
  priority: number;
  settings: unknown;
  run: Run;
}

function inOrder<Run>(
  owners: readonly AnyHookOwner[],
  hookOf: (hooks: AnyHookOwner["hooks"]) => Hook<Run> | undefined,
): RegisteredHook<Run>[] {
  const registered = owners.flatMap((owner) => {
    const hook = hookOf(owner.hooks);
    if (hook === undefined) return [];
    return [{ by: owner.name, priority: hook.priority ?? 0, settings: owner.settings, run: hook.run }];
  });
  return registered.sort((a, b) => b.priority - a.priority);
}

function hookContext(place: HookScope, by: string, settings: unknown, signal: AbortSignal): HookContext {
  return { ...place, settings, signal, audit: (note) => place.audit({ by, ...note }) };
}

function initialOutcome<Point extends AnyHookPoint>(event: Point["event"]): HookOutcome<Point> {
  return { event, merged: undefined, answers: [] };
}

/** What came of an event with one more answer; anything but an object is none. */
function withAnswer<Point extends AnyHookPoint>(
  outcome: HookOutcome<Point>,
  rule: PointRule<Point>,
  by: string,
  answer: Point["answer"] | undefined,
): HookOutcome<Point> {
  if (typeof answer !== "object" || answer === null) return outcome;
  const merged = outcome.merged === undefined ? answer : rule.merge(outcome.merged, answer);
  return { event: rule.pass(outcome.event, merged), merged, answers: [...outcome.answers, { by, answer }] };
}

/** @throws Error for a promise: whoever calls cannot wait for it */
function refusePromise<Answer>(answer: Answer): Answer {
  if (!(answer instanceof Promise)) return answer;
  answer.catch(() => undefined);
  throw new Error("a hook of this event has to answer at once, not with a promise");
}
