import { type CompactionOutcome, compact } from "../agent/compact.ts";
import type { LoopDeps } from "../agent/loop-deps.ts";
import type { AnyTool } from "../agent/tool.ts";
import { openRunBudget, type RunBudgetDeps } from "../budgets/run-budget.ts";
import { newId } from "../lib/ids.ts";
import { applyLoopHooks } from "../plugins/apply-loop-hooks.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { sessionModel } from "../services/model-lookup.ts";
import type { Services } from "../services/services.ts";
import { compactionBy } from "../session-store/compactions.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { contextRules } from "../turn/context-rules.ts";
import { turnFailover } from "../turn/failover.ts";
import { previewRequest } from "../turn/preview/preview-turn.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { MODEL_IDLE_MS } from "../turn/turn.ts";
import { turnContextOf } from "../turn/turn-context.ts";

/** Dependencies of `compactNow`. */
interface CompactNowDeps extends RunBudgetDeps {
  store: Store;
  hooks: SessionHooks;
  session(): SessionRow;
  services(): Services;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools(): readonly AnyTool[];
  skills: Pick<SessionSkills, "forPreview">;
}

/**
 * Summarizes the older part of a session's conversation on request. Repeated after a crash, it returns the stored
 * outcome. Rejects if the run is stopped first.
 * @param focus what the summary should concentrate on; empty for nothing in particular
 */
export async function compactNow(run: ActiveRun, focus: string, deps: CompactNowDeps): Promise<CompactionOutcome> {
  const made = compactionBy(deps.store, run.row.id);
  if (made !== undefined) return { kind: "done", tokensBefore: made.tokensBefore, tokensAfter: made.tokensAfter };
  const context = turnContextOf(run, deps.session(), deps.services());
  const { agent, services, session } = context;
  const { model = sessionModel(session.settings, agent, services) } = run.journal.state;
  const failover = turnFailover([model, ...agent.fallbacks], run, services);
  const lead = await failover.lead();
  // No reply is sent. The prompt and tools only count towards the space that is left for messages.
  const { prompt, tools, offers } = await previewRequest(context, {
    model: lead.ref,
    extraTools: [...services.plugins.tools, ...deps.extraTools()],
    skills: { forTurn: (request) => deps.skills.forPreview(request) },
    messages: run.journal.context(),
    now: deps.now(),
  });
  const loop: LoopDeps = {
    model: lead,
    failover,
    request: { system: prompt.system, thinking: "off", loadFile: async () => undefined },
    tools,
    offers,
    journal: run.journal,
    modelIdleMs: MODEL_IDLE_MS,
    budget: openRunBudget(run, agent, services.config, deps),
    repetition: services.config.tools.loopDetection,
    hooks: applyLoopHooks(deps.hooks, run.row.id),
    gate: async () => ({ kind: "go", approved: false }),
    context: contextRules(context),
    keep: async (output) => output,
    emit: () => undefined,
    newMessageId: () => newId("msg", deps.now()),
    now: deps.now,
  };
  const outcome = await compact(loop, { reason: "command", ...(focus !== "" && { focus }) }, run.signal);
  if (outcome.kind === "failed") run.signal.throwIfAborted();
  return outcome;
}
