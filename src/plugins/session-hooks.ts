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

/** Stores lines of the audit trail, with the commit that is under way or in one of its own. */
export interface AuditWriter {
  write(lines: readonly AuditLine[]): void;
}

/** What running the hooks of a session depends on. */
export interface SessionHooksDeps {
  audit: AuditWriter;
  session(): Pick<HookScope, "agentId" | "sessionKey" | "sessionId">;
  /** @throws IsopodError where the configuration is not valid or does not name the agent any more */
  current(): { hooks: Hooks; agent: Agent; workspace: Workspace };
  now(): number;
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** What a prompt passes through on its way to a model: the hooks of a session, or of a look at what one would send. */
export interface PromptHooks {
  /** The lines that changes of plugins leave. */
  readonly audit: AuditWriter;
  /** Whether anybody has a hook for an event. */
  has(name: HookName): boolean;
  /** Runs the hooks of an event. */
  run<Name extends HookName>(
    name: Name,
    event: HookMap[Name]["event"],
    runId?: string,
  ): Promise<HookOutcome<HookMap[Name]>>;
}

/** The hooks of plugins as one session runs them: each is told where it is. */
export class SessionHooks implements PromptHooks {
  readonly #deps: SessionHooksDeps;

  constructor(deps: SessionHooksDeps) {
    this.#deps = deps;
  }

  /** The lines that changes of plugins leave. */
  get audit(): AuditWriter {
    return this.#deps.audit;
  }

  /** Whether anybody has a hook for an event. */
  has(name: HookName | SyncHookName): boolean {
    return this.#hooks().has(name);
  }

  /** Runs the hooks of an event. */
  run<Name extends HookName>(name: Name, event: HookMap[Name]["event"], runId?: string) {
    return this.#hooks().run(name, event, () => this.#place(runId));
  }

  /** Runs the hooks of an event at once. */
  runSync<Name extends SyncHookName>(name: Name, event: SyncHookMap[Name]["event"], runId?: string) {
    return this.#hooks().runSync(name, event, () => this.#place(runId));
  }

  /** Runs the hooks of an event while other things go on; the event is made only where somebody wants it. */
  later<Name extends HookName>(name: Name, event: () => HookMap[Name]["event"], runId?: string): void {
    if (this.has(name)) this.#deps.waitUntil(this.#runLater(name, event(), runId));
  }

  async #runLater<Name extends HookName>(name: Name, event: HookMap[Name]["event"], runId?: string): Promise<void> {
    // Whoever caused it goes on first.
    await Promise.resolve();
    try {
      await this.run(name, event, runId);
    } catch (error) {
      writeLog("error", "hooks.failed", { hook: name, error: messageOf(error) });
    }
  }

  /** With a configuration that cannot be read, or that does not know the agent any more, there are none. */
  #hooks(): Hooks {
    try {
      return this.#deps.current().hooks;
    } catch (error) {
      if (error instanceof IsopodError) return NO_HOOKS;
      throw error;
    }
  }

  #place(runId: string | undefined): HookScope {
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
