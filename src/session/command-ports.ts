import { budgetLines } from "../budgets/budget-report.ts";
import type { RunBudgetDeps } from "../budgets/run-budget.ts";
import { activationPort, pairingPort } from "../commands/channel-access-port.ts";
import type { QueuedPort, SubagentsPort } from "../commands/command.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import type { NewRun } from "../session-store/admission.ts";
import { findSubagent, listedSubagents, subagentView } from "../subagents/find-subagent.ts";
import { readLog } from "../subagents/session-excerpt.ts";
import { instructSubagent } from "../subagents/spawn.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { OutboxPortDeps } from "../turn/output/outbox-port.ts";
import { type SessionContextDeps, sessionContext } from "../turn/preview/session-context.ts";
import { senderName } from "../turn/principal.ts";
import { skillsView } from "../turn/skills/resolve-skill-command.ts";
import type { SessionSkills } from "../turn/skills/session-skills.ts";
import { turnContextOf } from "../turn/turn-context.ts";
import { reviewFiles } from "../workspace/acceptance.ts";
import { compactNow } from "./compact-now.ts";
import { otherChats } from "./other-chats.ts";
import { schedulePort } from "./schedule-port.ts";

/** Dependencies of queued commands. */
export interface QueuedPortDeps extends SubagentsDeps, RunBudgetDeps, SessionContextDeps, OutboxPortDeps {
  database: D1Database;
  hooks: SessionHooks;
  schedule: Pick<Queue, "send">;
  skills: Pick<SessionSkills, "forTurn" | "forPreview">;
}

/** The functions that a queued command may use. */
export function queuedPort(run: ActiveRun, deps: QueuedPortDeps): QueuedPort {
  const { database, budgets, skills, session, services, now } = deps;
  return {
    contextReport: () => sessionContext(turnContextOf(run, session(), services()), deps),
    reviewFiles: async () => {
      const agent = agentIn(services(), session().agentId);
      return reviewFiles(database, services().workspaceOf(agent), agent.id);
    },
    pairing: pairingPort(database, now),
    mcp: async () => (await import("../commands/mcp-port.ts")).mcpPort(services()),
    activation: activationPort(run.row.target, session().key, { services: services(), database, now }),
    async skills() {
      const turnContext = turnContextOf(run, session(), services());
      const asked = { turnContext, agent: turnContext.agent, listing: Promise.resolve(undefined) };
      return skillsView((await skills.forTurn(asked)).set);
    },
    otherChats: otherChats(run, deps),
    subagentLog: (which) => readLog(which, deps),
    schedule: schedulePort(run, turnContextOf(run, session(), services()), {
      ...{ database, queue: deps.schedule, now },
    }),
    budgets: () => budgetLines(agentIn(services(), session().agentId), services().config, budgets, now()),
    compact: (focus) => compactNow(run, focus, deps),
  };
}

/** The sub-agents of a session for commands that act at once. */
export function subagentsPort(
  { runId, target, input }: NewRun,
  sessionSubagents: Subagents,
  deps: SubagentsDeps,
): SubagentsPort {
  const { store, fence, session, services, now, changed } = deps;
  return {
    now,
    list: () => listedSubagents(store),
    find: (which) => findSubagent(listedSubagents(store), which),
    stop: (which) => sessionSubagents.stopNamed(which),
    instruct(which, text) {
      const { subagents, defaults } = agentIn(services(), session().agentId);
      const sender = senderName(input.sender, target);
      const announceTo = { target, owner: true, sender, modelOverride: {}, timeoutSeconds: defaults.timeoutSeconds };
      const instructor = { runId, askedBy: runId, announceTo, maxChildren: subagents.maxChildren };
      const row = fence.write(() => instructSubagent(which, text, instructor, deps));
      changed();
      return subagentView(row);
    },
  };
}
