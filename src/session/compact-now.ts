import { type CompactionOutcome, compact } from "../agent/compact.ts";
import type { Loop } from "../agent/journal.ts";
import type { AnyTool } from "../agent/tool.ts";
import { type BudgetRoom, budgetOf } from "../budgets/run-budget.ts";
import { newId } from "../lib/ids.ts";
import { hookedLoop } from "../plugins/apply-loop-hooks.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { sessionModel } from "../services/model-lookup.ts";
import { agentIn, type Wiring } from "../services/services.ts";
import { compactionBy } from "../session-store/compactions.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { contextRules } from "../turn/context-rules.ts";
import { standbyOf } from "../turn/failover.ts";
import { wouldBeSent } from "../turn/preview/preview-turn.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { MODEL_IDLE_MS } from "../turn/turn.ts";
import { occasionOf } from "../turn/turn-context.ts";

/** What having a conversation summarized needs of the object that it is done in. */
interface CompactRoom extends BudgetRoom {
  store: Store;
  hooks: SessionHooks;
  owner(): SessionRow;
  wiring(): Wiring;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools(): readonly AnyTool[];
  skills: Pick<SessionSkills, "lookOnly">;
}

/**
 * Has the older part of a session's conversation summarized because somebody wants it. Done again after a crash, it
 * gives what came of it the first time where that was stored. Rejects where the run is stopped before.
 * @param focus what matters most to whoever wants it; empty for nothing in particular
 */
export async function compactNow(run: ActiveRun, focus: string, room: CompactRoom): Promise<CompactionOutcome> {
  const made = compactionBy(room.store, run.row.id);
  if (made !== undefined) return { kind: "done", tokensBefore: made.tokensBefore, tokensAfter: made.tokensAfter };
  const owner = room.owner();
  const wiring = room.wiring();
  const agent = agentIn(wiring, owner.agentId);
  const { model = sessionModel(owner.settings, agent, wiring) } = run.journal.state;
  const standby = standbyOf([model, ...agent.fallbacks], run, { wiring });
  const lead = await standby.lead();
  // Nobody is answered: what a turn would send with the messages only counts for how much room they have.
  const { prompt, tools } = await wouldBeSent(occasionOf(run, owner), {
    agentId: agent.id,
    model: lead.ref,
    wiring,
    extraTools: [...wiring.plugins.tools, ...room.extraTools()],
    skills: { forTurn: (request) => room.skills.lookOnly(request) },
    messages: run.journal.context(),
    now: room.now(),
  });
  const loop: Loop = {
    model: lead,
    failover: standby,
    request: { system: prompt.system, thinking: "off", loadImage: async () => undefined },
    tools,
    journal: run.journal,
    modelIdleMs: MODEL_IDLE_MS,
    budget: budgetOf(run, agent, wiring.config, room),
    repetition: wiring.config.tools.loopDetection,
    hooks: hookedLoop(room.hooks, run.row.id),
    allowedTools: [],
    context: contextRules(agent, wiring),
    keep: async (output) => output,
    emit: () => undefined,
    newMessageId: () => newId("msg", room.now()),
    now: room.now,
  };
  const outcome = await compact(loop, { reason: "command", ...(focus !== "" && { focus }) }, run.signal);
  if (outcome.kind === "failed") run.signal.throwIfAborted();
  return outcome;
}
