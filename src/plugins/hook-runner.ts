import { messageOf } from "../lib/errors.ts";
import type { log as writeLog } from "../lib/log.ts";
import type { AnyHookOwner, AsyncHookTable, Hook, HookContext, HookScope, SyncHookTable } from "./hook.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hook-map.ts";
import { type MergeRule, RULES } from "./hook-merge.ts";

/** Timeout of one hook. */
export const HOOK_TIMEOUT_MS = 5000;

interface AnyHookPoint {
  event: unknown;
  answer: unknown;
}

/** The result of running an event's hooks. */
export interface HookOutcome<Point extends AnyHookPoint> {
  /** The event as changed by the hooks. */
  event: Point["event"];
  /** The merged answer; undefined if no hook answered. */
  merged: Point["answer"] | undefined;
  /** The answers by plugin, in the order in which the hooks ran. */
  answers: readonly { by: string; answer: Point["answer"] }[];
}

/**
 * Runs plugins' hooks one after the other, the highest priority first. Never rejects or throws: a hook that throws or
 * times out is logged and skipped, unless the rule of its event gives it an answer. An event without hooks costs one
 * set lookup.
 */
export interface Hooks {
  /** Whether an event has hooks. */
  has(name: HookName | SyncHookName): boolean;
  run<Name extends HookName>(
    name: Name,
    event: HookMap[Name]["event"],
    scope: () => HookScope,
  ): Promise<HookOutcome<HookMap[Name]>>;
  runSync<Name extends SyncHookName>(
    name: Name,
    event: SyncHookMap[Name]["event"],
    scope: () => HookScope,
  ): HookOutcome<SyncHookMap[Name]>;
}

export interface HooksOptions {
  log: typeof writeLog;
  timeoutMs?: number;
}

/** Creates the runner of several plugins' hooks; among equal priorities the order of the list counts. */
export function createHooks(owners: readonly AnyHookOwner[], options: HooksOptions): Hooks {
  const { log, timeoutMs = HOOK_TIMEOUT_MS } = options;
  const names = new Set(owners.flatMap(({ hooks }) => Object.keys(hooks)));
  const failed = (hook: string, plugin: string, error: unknown) => {
    log("error", "hook.failed", { hook, plugin, error: messageOf(error) });
  };
  return {
    has: (name) => names.has(name),
    async run<Name extends HookName>(name: Name, event: HookMap[Name]["event"], scope: () => HookScope) {
      const rule: PointRule<HookMap[Name]> = RULES[name];
      let outcome = initialOutcome<HookMap[Name]>(event);
      if (!names.has(name)) return outcome;
      const shared = scope();
      for (const { by, settings, run } of inOrder(owners, (hooks: AsyncHooks) => hooks[name])) {
        const timer = new HookTimer(timeoutMs);
        try {
          const answer = run(outcome.event, hookContext(shared, by, settings, timer.signal));
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
    runSync<Name extends SyncHookName>(name: Name, event: SyncHookMap[Name]["event"], scope: () => HookScope) {
      const rule: PointRule<SyncHookMap[Name]> = RULES[name];
      let outcome = initialOutcome<SyncHookMap[Name]>(event);
      if (!names.has(name)) return outcome;
      const shared = scope();
      for (const { by, settings, run } of inOrder(owners, (hooks: SyncHooks) => hooks[name])) {
        try {
          const answer = run(outcome.event, hookContext(shared, by, settings, new AbortController().signal));
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

/** The timeout of one hook: `up` rejects when it is over. */
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

  /** Aborts at the timeout. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** One plugin's hook for an event. */
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

function hookContext(scope: HookScope, by: string, settings: unknown, signal: AbortSignal): HookContext {
  return { ...scope, settings, signal, audit: (note) => scope.audit({ by, ...note }) };
}

function initialOutcome<Point extends AnyHookPoint>(event: Point["event"]): HookOutcome<Point> {
  return { event, merged: undefined, answers: [] };
}

/** Adds an answer to the outcome; anything but an object counts as no answer. */
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

/** @throws Error for a promise: the caller cannot wait */
function refusePromise<Answer>(answer: Answer): Answer {
  if (!(answer instanceof Promise)) return answer;
  answer.catch(() => undefined);
  throw new Error("a hook of this event has to answer at once, not with a promise");
}
