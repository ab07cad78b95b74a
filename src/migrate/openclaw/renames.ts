import {
  addFindings,
  type ImportDraft,
  inOrder,
  leavesAt,
  move,
  type Step,
  takeOut,
  withLeaves,
  without,
} from "./draft.ts";
import { type Leaf, matches, type Pattern } from "./leaves.ts";
import { isDiskPath } from "./values.ts";

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
  { from: "channels.slack.accounts.*.channels", to: "channels.slack.accounts.*.groups" },
  { from: "channels.slack.accounts.*.groups.*.users", to: "channels.slack.accounts.*.groups.*.allowFrom" },
  { from: "channels.discord.accounts.*.token", to: "channels.discord.accounts.*.botToken" },
  { from: "models.providers.*.models.*.contextTokens", to: "models.providers.*.models.*.contextWindow" },
];

/** Gives fields the names that they have here, before agents and channels are gathered. */
export const renameFields: Step = inOrder(setIdleMode, (draft) => renamed(draft, RENAMES));

/** Gives fields the names that they have here, after that. */
export const renameGatheredFields: Step = inOrder(separateLanes, (draft) => renamed(draft, LATER_RENAMES));

function renamed(draft: ImportDraft, renames: readonly Rename[]): ImportDraft {
  return renames.reduce((current, { from, to }) => move(current, from, to), draft);
}

/** `session.idleMinutes` alone reset a session after a pause; here that is a mode. */
function setIdleMode(draft: ImportDraft): ImportDraft {
  const minutes = draft.leaves.find(({ path }) => matches(path, "session.idleMinutes"));
  if (minutes === undefined || leavesAt(draft, ["session", "reset", "mode"]).length > 0) return draft;
  const mode = { from: minutes.from, path: ["session", "reset", "mode"], value: "idle", placed: true } as const;
  const why = "A reset after a pause is session.reset.mode 'idle' here.";
  return addFindings({ ...draft, leaves: [...draft.leaves, mode] }, { kind: "changed", path: minutes.from, why });
}

/** If sub-agents have a cap of their own, caps are set for each lane. */
function separateLanes(draft: ImportDraft): ImportDraft {
  if (leavesAt(draft, ["agents", "defaults", "subagents", "maxConcurrent"]).length === 0) return draft;
  const isPlain = draft.leaves.some(({ path }) => matches(path, "agents.defaults.maxConcurrent"));
  const main = isPlain ? move(draft, "agents.defaults.maxConcurrent", "agents.defaults.maxConcurrent.main") : draft;
  return move(main, "agents.defaults.subagents.maxConcurrent", "agents.defaults.maxConcurrent.subagent");
}

/** Resolves settings that are valid here with another meaning, or stand for several fields. */
export const resolveAmbiguous: Step = inOrder(
  refuseLocalEmbeddings,
  refuseDiskFolders,
  expandExecModes,
  mapBlockStreaming,
);

const MEMORY_PROVIDERS: readonly Pattern[] = ["agents.defaults", "agents.list.*"].flatMap((whose): Pattern[] => [
  `${whose}.memorySearch.provider`,
  `${whose}.memorySearch.fallback`,
]);

/** OpenClaw's `local` runs a model from a file. Ours compares letters, and must not replace it silently. */
function refuseLocalEmbeddings(draft: ImportDraft): ImportDraft {
  const local = draft.leaves.filter(
    ({ path, value }) => value === "local" && MEMORY_PROVIDERS.some((at) => matches(path, at)),
  );
  return local.reduce((current, { path, from }) => {
    const why =
      "In OpenClaw it is a model in a file, which cannot run here; here `local` compares words by their letters.";
    const hint =
      "Choose workers-ai or another provider with an API, or set 'local' here for the comparison of letters.";
    return addFindings(takeOut(current, [path]), { kind: "refused", path: from, why, hint });
  }, draft);
}

const EXTRA_PATHS: readonly Pattern[] = [
  "agents.defaults.memorySearch.extraPaths.*",
  "agents.list.*.memorySearch.extraPaths.*",
];

/** Memory is searched below the workspace alone. */
function refuseDiskFolders(draft: ImportDraft): ImportDraft {
  const outside = draft.leaves.filter(
    ({ path, value }) => EXTRA_PATHS.some((at) => matches(path, at)) && isDiskPath(value),
  );
  return outside.reduce((current, { path, from }) => {
    const why = "It is a folder on a disk, and only the agent's workspace is searched here.";
    const hint = "Put the files into the workspace, and name them by their path there.";
    return addFindings(takeOut(current, [path]), { kind: "refused", path: from, why, hint });
  }, draft);
}

/** `tools.exec.mode` stands for `security` and `ask`. `auto` asked a model first; here people are asked. */
const EXEC_MODES: Readonly<Record<string, { security: string; ask: string }>> = {
  deny: { security: "deny", ask: "off" },
  allowlist: { security: "allowlist", ask: "off" },
  ask: { security: "allowlist", ask: "on-miss" },
  auto: { security: "allowlist", ask: "on-miss" },
  full: { security: "full", ask: "off" },
};

function expandExecModes(draft: ImportDraft): ImportDraft {
  const modes = draft.leaves.filter(
    ({ path }) => matches(path, "tools.exec.mode") || matches(path, "agents.list.*.tools.exec.mode"),
  );
  return modes.reduce((current, leaf) => {
    const words = new Map(Object.entries(EXEC_MODES)).get(String(leaf.value));
    if (words === undefined) return current;
    const expanded = Object.entries(words).map(([field, value]): Leaf => {
      return { from: leaf.from, path: [...leaf.path.slice(0, -1), field], value, placed: true };
    });
    const why = `'${String(leaf.value)}' is security '${words.security}' and ask '${words.ask}' here.`;
    const rest = without(current, (one) => one === leaf);
    return addFindings(withLeaves(rest, ...expanded), { kind: "changed", path: leaf.from, why });
  }, draft);
}

/** Maps block streaming, the only live form of replies here. */
function mapBlockStreaming(draft: ImportDraft): ImportDraft {
  const chosen = draft.leaves.filter(
    ({ path, value }) =>
      value === "block" &&
      (matches(path, "channels.*.accounts.*.streaming") || matches(path, "channels.*.accounts.*.streamMode")),
  );
  return chosen.reduce((current, leaf) => {
    const blocks: Leaf = { ...leaf, path: [...leaf.path.slice(0, -1), "blockStreaming"], value: true };
    const rest = without(current, (one) => one === leaf);
    return addFindings(withLeaves(rest, blocks), {
      kind: "changed",
      path: leaf.from,
      why: "It is blockStreaming here.",
    });
  }, draft);
}
