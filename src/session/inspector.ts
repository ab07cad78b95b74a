import { orRefusalLater, type Refusal } from "../lib/refusal.ts";
import { findRun } from "../session-store/runs.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import { type KeptRoom, type RunPrompt, runPrompt } from "../turn/preview/run-prompt.ts";
import { type ContextRoom, nextOccasion, sessionContext } from "../turn/preview/session-context.ts";
import type { ObjectWiring } from "./config-holder.ts";
import type { Engine } from "./run-scheduler.ts";

/** What looking into a session needs of its object. */
export interface InspectorRoom extends KeptRoom, ContextRoom {
  engine(): Pick<Engine, "stateOf">;
  configured: Pick<ObjectWiring, "ask" | "newest">;
}

/** Shows what models of a session were sent, and what the next one would be. It writes nothing. */
export class Inspector {
  readonly #room: InspectorRoom;

  constructor(room: InspectorRoom) {
    this.#room = room;
  }

  /** What a run's model was sent besides the conversation; for a run that joined another, what that one's was. */
  async prompt(runId: string, hash: string | undefined): Promise<RunPrompt | Refusal | undefined> {
    const { store, engine } = this.#room;
    const row = findRun(store, runId);
    if (row === undefined) return undefined;
    if (row.state.status === "joined") return this.prompt(row.state.intoRunId, hash);
    return orRefusalLater(() => runPrompt({ id: runId, state: engine().stateOf(row) }, hash, this.#room));
  }

  /** What the next request to a model would be made of. */
  context(sender: "owner" | "other" | undefined): Promise<ContextReport | Refusal> {
    const { configured } = this.#room;
    const room = { ...this.#room, wiring: () => configured.newest() };
    return orRefusalLater(async () => {
      await configured.ask();
      return sessionContext(nextOccasion(room, sender), room);
    });
  }
}
