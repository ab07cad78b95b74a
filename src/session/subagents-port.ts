import type { SubagentsPort } from "../commands/command.ts";
import { agentIn } from "../services/services.ts";
import type { NewRun } from "../session-store/admission.ts";
import { findSubagent, listedSubagents, subagentView } from "../subagents/find-subagent.ts";
import { instructSubagent } from "../subagents/spawn.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";

/** The sub-agents of a session for commands that act at once. */
export function subagentsPort(
  { runId, target }: NewRun,
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
      const announceTo = { target, owner: true, modelOverride: {}, timeoutSeconds: defaults.timeoutSeconds };
      const instructor = { runId, askedBy: runId, announceTo, maxChildren: subagents.maxChildren };
      const row = fence.write(() => instructSubagent(which, text, instructor, deps));
      changed();
      return subagentView(row);
    },
  };
}
