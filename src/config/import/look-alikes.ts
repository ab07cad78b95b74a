import { type Draft, find, inOrder, type Step, takeOut, withLeaves, without } from "./draft.ts";
import type { Leaf } from "./leaves.ts";
import { isOfADisk } from "./means-nothing.ts";
import { matches, type Pattern } from "./pattern.ts";

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
