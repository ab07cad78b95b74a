import type { Agent } from "../config/agents.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import { WORKSPACE_DIR } from "../workspace/paths.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { HookScope } from "./hook.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hook-map.ts";
import { createHooks, type HookOutcome, type Hooks } from "./hook-runner.ts";

const NO_HOOKS = createHooks([], { log: writeLog });

/** Stores audit lines, in the current commit or in one of its own. */
export interface AuditWriter {
  write(lines: readonly AuditLine[]): void;
}

/** Dependencies of a session's hooks. */
export interface SessionHooksDeps {
  audit: AuditWriter;
  session(): Pick<HookScope, "agentId" | "sessionKey" | "sessionId">;
  /** @throws IsopodError if the configuration is invalid or no longer has the agent */
  current(): { hooks: Hooks; agent: Agent; workspace: Workspace };
  now(): number;
  /** Keeps the object alive for background work. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The hooks that a prompt passes through: those of a session, or of a preview. */
export interface PromptHooks {
  /** The audit lines of plugins' changes. */
  readonly audit: AuditWriter;
  /** Whether anybody has a hook for an event. */
  has(name: HookName): boolean;
  /** Runs an event's hooks. */
  run<Name extends HookName>(
    name: Name,
    event: HookMap[Name]["event"],
    runId?: string,
  ): Promise<HookOutcome<HookMap[Name]>>;
}

/** Plugins' hooks in the scope of one session. */
export class SessionHooks implements PromptHooks {
  readonly #deps: SessionHooksDeps;

  constructor(deps: SessionHooksDeps) {
    this.#deps = deps;
  }

  /** The audit lines of plugins' changes. */
  get audit(): AuditWriter {
    return this.#deps.audit;
  }

  /** Whether anybody has a hook for an event. */
  has(name: HookName | SyncHookName): boolean {
    return this.#hooks().has(name);
  }

  /** Runs an event's hooks. */
  run<Name extends HookName>(name: Name, event: HookMap[Name]["event"], runId?: string) {
    return this.#hooks().run(name, event, () => this.#scope(runId));
  }

  /** Runs the hooks of a synchronous event. */
  runSync<Name extends SyncHookName>(name: Name, event: SyncHookMap[Name]["event"], runId?: string) {
    return this.#hooks().runSync(name, event, () => this.#scope(runId));
  }

  /** Runs an event's hooks in the background; the event is created only if it has hooks. */
  later<Name extends HookName>(name: Name, event: () => HookMap[Name]["event"], runId?: string): void {
    if (this.has(name)) this.#deps.waitUntil(this.#runLater(name, event(), runId));
  }

  async #runLater<Name extends HookName>(name: Name, event: HookMap[Name]["event"], runId?: string): Promise<void> {
    // The caller continues first.
    await Promise.resolve();
    try {
      await this.run(name, event, runId);
    } catch (error) {
      writeLog("error", "hooks.failed", { hook: name, error: messageOf(error) });
    }
  }

  /** Without hooks if the configuration is invalid or no longer has the agent. */
  #hooks(): Hooks {
    try {
      return this.#deps.current().hooks;
    } catch (error) {
      if (error instanceof IsopodError) return NO_HOOKS;
      throw error;
    }
  }

  #scope(runId: string | undefined): HookScope {
    const { audit, now } = this.#deps;
    const { agent, workspace } = this.#deps.current();
    const timezone = agent.defaults.userTimezone;
    const ofRun = runId === undefined ? {} : { runId };
    return {
      ...this.#deps.session(),
      workspaceDir: WORKSPACE_DIR,
      ...ofRun,
      ...(timezone !== undefined && { timezone }),
      now,
      workspace,
      audit: (note) => audit.write([{ ...note, ...ofRun }]),
    };
  }
}
