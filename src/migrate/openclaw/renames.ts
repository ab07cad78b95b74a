import { type Draft, find, inOrder, leavesAt, move, type Step, takeOut, withLeaves, without } from "./draft.ts";
import { type Leaf, matches, type Pattern } from "./leaves.ts";
import { isOfADisk } from "./values.ts";

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

/** Deals with what is written as it is here and means something else, or means the same and is written as one word. */
export const tellApart: Step = inOrder(refuseLocalEmbeddings, refuseFoldersOfADisk, spellExecModes, chooseBlocks);

const MEMORY_PROVIDERS: readonly Pattern[] = ["agents.defaults", "agents.list.*"].flatMap((whose): Pattern[] => [
  `${whose}.memorySearch.provider`,
  `${whose}.memorySearch.fallback`,
]);

/** OpenClaw's `local` runs a model out of a file. Ours compares words, and must not take its place unsaid. */
function refuseLocalEmbeddings(draft: Draft): Draft {
  const local = draft.leaves.filter(
    ({ path, value }) => value === "local" && MEMORY_PROVIDERS.some((at) => matches(path, at)),
  );
  return local.reduce((current, { path, from }) => {
    const why =
      "There it is a model in a file, which cannot be run here; here `local` compares words by their letters.";
    const hint = "Choose workers-ai, or another provider with an API; or write 'local' here for what it is here.";
    return find(takeOut(current, [path]), { kind: "refused", path: from, why, hint });
  }, draft);
}

const EXTRA_PATHS: readonly Pattern[] = [
  "agents.defaults.memorySearch.extraPaths.*",
  "agents.list.*.memorySearch.extraPaths.*",
];

/** Memory is searched below the workspace alone. */
function refuseFoldersOfADisk(draft: Draft): Draft {
  const outside = draft.leaves.filter(
    ({ path, value }) => EXTRA_PATHS.some((at) => matches(path, at)) && isOfADisk(value),
  );
  return outside.reduce((current, { path, from }) => {
    const why = "It is a folder of a machine, and only the agent's workspace is searched here.";
    const hint = "Put the files into the workspace, and name them by their path there.";
    return find(takeOut(current, [path]), { kind: "refused", path: from, why, hint });
  }, draft);
}

/** `tools.exec.mode` says in one word what `security` and `ask` say here. `auto` had a model asked first; here people are. */
const EXEC_MODES: Readonly<Record<string, { security: string; ask: string }>> = {
  deny: { security: "deny", ask: "off" },
  allowlist: { security: "allowlist", ask: "off" },
  ask: { security: "allowlist", ask: "on-miss" },
  auto: { security: "allowlist", ask: "on-miss" },
  full: { security: "full", ask: "off" },
};

function spellExecModes(draft: Draft): Draft {
  const modes = draft.leaves.filter(
    ({ path }) => matches(path, "tools.exec.mode") || matches(path, "agents.list.*.tools.exec.mode"),
  );
  return modes.reduce((current, leaf) => {
    const words = new Map(Object.entries(EXEC_MODES)).get(String(leaf.value));
    if (words === undefined) return current;
    const spelt = Object.entries(words).map(([field, value]): Leaf => {
      return { from: leaf.from, path: [...leaf.path.slice(0, -1), field], value, placed: true };
    });
    const why = `'${String(leaf.value)}' is security '${words.security}' and ask '${words.ask}' here.`;
    const rest = without(current, (one) => one === leaf);
    return find(withLeaves(rest, ...spelt), { kind: "changed", path: leaf.from, why });
  }, draft);
}

/** How replies were shown while they were being written; of that there are blocks here. */
function chooseBlocks(draft: Draft): Draft {
  const chosen = draft.leaves.filter(
    ({ path, value }) =>
      value === "block" &&
      (matches(path, "channels.*.accounts.*.streaming") || matches(path, "channels.*.accounts.*.streamMode")),
  );
  return chosen.reduce((current, leaf) => {
    const blocks: Leaf = { ...leaf, path: [...leaf.path.slice(0, -1), "blockStreaming"], value: true };
    const rest = without(current, (one) => one === leaf);
    return find(withLeaves(rest, blocks), { kind: "changed", path: leaf.from, why: "It is blockStreaming here." });
  }, draft);
}
