import type { SubagentsPort } from "../commands/command.ts";
import { agentIn } from "../services/services.ts";
import type { NewRun } from "../session-store/admission.ts";
import { childMeant } from "../subagents/find-subagent.ts";
import { giveMore } from "../subagents/instruct.ts";
import { childView, shownChildren } from "../subagents/subagent-view.ts";
import type { Family } from "../subagents/subagents.ts";
import type { FamilyRoom } from "../subagents/subagents-deps.ts";

/** The sub-agents of a session, as a command that acts at once may address them. */
export function subagentsPort({ runId, target }: NewRun, family: Family, room: FamilyRoom): SubagentsPort {
  const { store, fence, owner, wiring, now, changed } = room;
  return {
    now,
    list: () => shownChildren(store),
    find: (which) => childMeant(shownChildren(store), which),
    stop: (which) => family.stopNamed(which),
    tell(which, text) {
      const { subagents, defaults } = agentIn(wiring(), owner().agentId);
      const telling = { target, owner: true, voice: {}, timeoutSeconds: defaults.timeoutSeconds };
      const giver = { runId, askedBy: runId, telling, maxChildren: subagents.maxChildren };
      const row = fence.write(() => giveMore(which, text, giver, room));
      changed();
      return childView(row);
    },
  };
}
