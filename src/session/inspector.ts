import { orRefusalLater, type Refusal } from "../lib/refusal.ts";
import { findRun } from "../session-store/runs.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import { type RunPrompt, type RunPromptDeps, runPrompt } from "../turn/preview/run-prompt.ts";
import { nextTurnContext, type SessionContextDeps, sessionContext } from "../turn/preview/session-context.ts";
import type { ConfigSnapshot } from "./config-snapshot.ts";
import type { RunScheduler } from "./run-scheduler.ts";

/** Dependencies of `Inspector`. */
export interface InspectorDeps extends RunPromptDeps, SessionContextDeps {
  scheduler(): Pick<RunScheduler, "stateOf">;
  configured: Pick<ConfigSnapshot, "refresh" | "newest">;
}

/** Shows the prompts that a session's models were sent, and the next one. It writes nothing. */
export class Inspector {
  readonly #deps: InspectorDeps;

  constructor(deps: InspectorDeps) {
    this.#deps = deps;
  }

  /** What a run's model was sent besides the conversation; for a merged run, that of the run it was merged into. */
  async prompt(runId: string, hash: string | undefined): Promise<RunPrompt | Refusal | undefined> {
    const { store, scheduler } = this.#deps;
    const row = findRun(store, runId);
    if (row === undefined) return undefined;
    if (row.state.status === "joined") return this.prompt(row.state.intoRunId, hash);
    return orRefusalLater(() => runPrompt({ id: runId, state: scheduler().stateOf(row) }, hash, this.#deps));
  }

  /** What the next model request would consist of. */
  context(sender: "owner" | "other" | undefined): Promise<ContextReport | Refusal> {
    const { configured } = this.#deps;
    const deps = { ...this.#deps, services: () => configured.newest() };
    return orRefusalLater(async () => {
      await configured.refresh();
      return sessionContext(nextTurnContext(deps, sender), deps);
    });
  }
}
