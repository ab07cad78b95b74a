import { type Draft, find, inOrder, leavesAt, move, type Step } from "./draft.ts";
import { matches, type Pattern } from "./pattern.ts";

/** A field that has another name here. Where it stands under the new name already, that one counts. */
interface Rename {
  from: Pattern;
  to: Pattern;
}

/** What has moved in OpenClaw's own history, first to last, and what is called otherwise here. */
const RENAMES: readonly Rename[] = [
  { from: "defaultModel", to: "agents.defaults.model" },
  { from: "agent.bash", to: "tools.exec" },
  { from: "agent.elevated", to: "tools.elevated" },
  { from: "agent.tools.allow", to: "tools.allow" },
  { from: "agent.tools.deny", to: "tools.deny" },
  { from: "agent.sandbox.tools", to: "tools.sandbox.tools" },
  { from: "agent.subagents.tools", to: "tools.subagents.tools" },
  { from: "routing.allowFrom", to: "channels.whatsapp.allowFrom" },
  { from: "routing.groupChat", to: "messages.groupChat" },
  { from: "routing.queue", to: "messages.queue" },
  { from: "routing.bindings", to: "bindings" },
  { from: "routing.agentToAgent", to: "tools.agentToAgent" },
  { from: "messages.queue.byProvider", to: "messages.queue.byChannel" },
  { from: "bindings.*.match.provider", to: "bindings.*.match.channel" },
  { from: "heartbeat", to: "agents.defaults.heartbeat" },
  { from: "memorySearch", to: "agents.defaults.memorySearch" },
  { from: "memory.search", to: "agents.defaults.memorySearch" },
  { from: "tts", to: "messages.tts" },
  { from: "session.idleMinutes", to: "session.reset.idleMinutes" },
];

/** As above, once the agents and the channels' accounts stand where they belong. */
const LATER_RENAMES: readonly Rename[] = [
  { from: "agents.list.*.memory.search", to: "agents.list.*.memorySearch" },
  { from: "tools.bash", to: "tools.exec" },
  { from: "agents.list.*.tools.bash", to: "agents.list.*.tools.exec" },
  { from: "tools.exec.timeoutSeconds", to: "tools.exec.timeoutSec" },
  { from: "tools.loopDetection.warningThreshold", to: "tools.loopDetection.warnAfter" },
  { from: "tools.loopDetection.criticalThreshold", to: "tools.loopDetection.stopAfter" },
  { from: "agents.defaults.compaction.reserveTokensFloor", to: "agents.defaults.compaction.reserveTokens" },
  { from: "agents.defaults.contextPruning.softTrimRatio", to: "agents.defaults.contextPruning.startRatio" },
  { from: "agents.defaults.contextPruning.softTrim.maxChars", to: "agents.defaults.contextPruning.maxChars" },
  { from: "agents.defaults.contextPruning.softTrim.headChars", to: "agents.defaults.contextPruning.headChars" },
  { from: "agents.defaults.contextPruning.softTrim.tailChars", to: "agents.defaults.contextPruning.tailChars" },
  { from: "agents.defaults.subagents.maxChildrenPerAgent", to: "agents.defaults.subagents.maxChildren" },
  { from: "channels.*.accounts.*.dm.policy", to: "channels.*.accounts.*.dmPolicy" },
  { from: "channels.*.accounts.*.dm.allowFrom", to: "channels.*.accounts.*.allowFrom" },
  { from: "models.providers.*.models.*.contextTokens", to: "models.providers.*.models.*.contextWindow" },
];

/** Gives fields the names that they have here, before agents and channels are gathered. */
export const renameFields: Step = inOrder(saysIdle, (draft) => renamed(draft, RENAMES));

/** Gives fields the names that they have here, after that. */
export const renameGatheredFields: Step = inOrder(separateLanes, (draft) => renamed(draft, LATER_RENAMES));

function renamed(draft: Draft, renames: readonly Rename[]): Draft {
  return renames.reduce((current, { from, to }) => move(current, from, to), draft);
}

/** `session.idleMinutes` alone began a conversation anew after a pause; here that is a mode. */
function saysIdle(draft: Draft): Draft {
  const minutes = draft.leaves.find(({ path }) => matches(path, "session.idleMinutes"));
  if (minutes === undefined || leavesAt(draft, ["session", "reset", "mode"]).length > 0) return draft;
  const mode = { from: minutes.from, path: ["session", "reset", "mode"], value: "idle", placed: true } as const;
  const why = "A pause that begins a conversation anew is session.reset.mode 'idle' here.";
  return find({ ...draft, leaves: [...draft.leaves, mode] }, { kind: "changed", path: minutes.from, why });
}

/** Where sub-agents have a cap of their own, caps are said for each lane. */
function separateLanes(draft: Draft): Draft {
  if (leavesAt(draft, ["agents", "defaults", "subagents", "maxConcurrent"]).length === 0) return draft;
  const isPlain = draft.leaves.some(({ path }) => matches(path, "agents.defaults.maxConcurrent"));
  const main = isPlain ? move(draft, "agents.defaults.maxConcurrent", "agents.defaults.maxConcurrent.main") : draft;
  return move(main, "agents.defaults.subagents.maxConcurrent", "agents.defaults.maxConcurrent.subagent");
}
