import { objectNameOf } from "../config/session-ids.ts";
import { dropPrompts } from "../session-store/prompt-rows.ts";
import { sessionFolder, spillKey } from "../session-store/spill.ts";
import type { RetentionDeps } from "./retention-deps.ts";

/**
 * Clears away what models were sent before an instant, where no run names it any more. The rows go first: what a row
 * still points at is there.
 */
export async function clearPrompts(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, files, promptsInUse } = deps;
  const { agentId, key } = deps.owner();
  const folder = sessionFolder(agentId, await objectNameOf(key));
  const spills = fence.write(() => dropPrompts(store, before, promptsInUse()));
  if (spills.length > 0) await files.delete(spills.map((id) => spillKey(folder, id)));
}
