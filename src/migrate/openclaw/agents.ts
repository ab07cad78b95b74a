import { isAgentId } from "../../config/session-key.ts";
import {
  addFindings,
  type ImportDraft,
  type ImportFinding,
  inOrder,
  leavesAt,
  move,
  place,
  rewrite,
  type Step,
  withLeaves,
  without,
} from "./draft.ts";
import { isWithin, keyOf, type Leaf, matches, type Path } from "./leaves.ts";

/**
 * Converts agents to the shape of Isopod, `agents.defaults` and `agents.list`, from `agents.entries` (the newest),
 * `routing.agents`, and the single `agent` and `identity` of the first versions.
 */
export const gatherAgents: Step = inOrder(
  legacyModels,
  (draft) => move(draft, "agent", "agents.defaults"),
  (draft) => listAgents(draft, ["routing", "agents"]),
  (draft) => listAgents(draft, ["agents", "entries"]),
  (draft) => markDefault(draft, ["routing", "defaultAgentId"]),
  (draft) => markDefault(draft, ["agents", "defaults", "systemAgent", "agentId"]),
  moveIdentity,
  normalizeIds,
);

/** The first versions had the fallbacks beside the model. */
function legacyModels(draft: ImportDraft): ImportDraft {
  if (leavesAt(draft, ["agent", "modelFallbacks"]).length === 0) return draft;
  const isPlain = draft.leaves.some(({ path }) => matches(path, "agent.model"));
  const primary = isPlain ? move(draft, "agent.model", "agents.defaults.model.primary") : draft;
  return move(primary, "agent.modelFallbacks", "agents.defaults.model.fallbacks");
}

/** Makes agents by id into entries of the list. */
function listAgents(draft: ImportDraft, roster: Path): ImportDraft {
  const isOwnId = ({ path }: Leaf) => path.length === roster.length + 2 && path.at(-1) === "id";
  const all = leavesAt(draft, roster).filter(({ path }) => path.length > roster.length);
  const members = all.filter((leaf) => !isOwnId(leaf));
  const ids = [...new Set(all.map(({ path }) => String(path[roster.length])))];
  const offset = listLength(draft);
  const why = "An agent's id is the name that it stands under.";
  const told = all.filter(isOwnId).map(({ from }): ImportFinding => ({ kind: "changed", path: from, why }));
  const list = place(
    addFindings(
      without(draft, (leaf) => all.includes(leaf) && isOwnId(leaf)),
      ...told,
    ),
    members.map((leaf) => {
      const [id, ...rest] = leaf.path.slice(roster.length);
      return { leaf, path: ["agents", "list", offset + ids.indexOf(String(id)), ...rest] };
    }),
  );
  const named = ids.map((id, at): Leaf => {
    return { from: [...roster, id], path: ["agents", "list", offset + at, "id"], value: id };
  });
  // An agent without settings is an empty entry of the list; its id fills it.
  const leaves = list.leaves.filter(({ path }) => !(matches(path, "agents.list.*") && Number(path[2]) >= offset));
  return { ...list, leaves: [...leaves, ...named] };
}

/** Marks the agent that was named as the default one. */
function markDefault(draft: ImportDraft, path: Path): ImportDraft {
  const named = draft.leaves.find((leaf) => keyOf(leaf.path) === keyOf(path));
  if (named === undefined) return draft;
  const entry = draft.leaves.find(({ path, value }) => matches(path, "agents.list.*.id") && value === named.value);
  if (entry === undefined) return draft;
  const mark: Leaf = { from: named.from, path: [...entry.path.slice(0, -1), "default"], value: true };
  return withLeaves(
    without(draft, (leaf) => leaf === named),
    mark,
  );
}

/** Moves the single identity to the default agent. */
function moveIdentity(draft: ImportDraft): ImportDraft {
  const identity = leavesAt(draft, ["identity"]);
  if (identity.length === 0) return draft;
  const isMarked = draft.leaves.find(({ path, value }) => matches(path, "agents.list.*.default") && value === true);
  const first = draft.leaves.find(({ path }) => matches(path, "agents.list.*.id"));
  const entry = (isMarked ?? first)?.path.slice(0, 3) ?? ["agents", "list", 0];
  const moved = place(
    draft,
    identity.map((leaf) => ({ leaf, path: [...entry, ...leaf.path] })),
  );
  if (first !== undefined) return moved;
  const main: Leaf = { from: ["identity"], path: [...entry, "id"], value: "main", placed: true };
  return { ...moved, leaves: [...moved.leaves, main] };
}

/** Ids as they are written here: in lower case, of letters, digits, `-` and `_`. */
function normalizeIds(draft: ImportDraft): ImportDraft {
  return rewrite(draft, ({ path, value }) => {
    const names = matches(path, "agents.list.*.id") || matches(path, "bindings.*.agentId");
    if (!names || typeof value !== "string" || isAgentId(value)) return undefined;
    const id = value
      .trim()
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/g, "-")
      .replace(/^[-_]+/, "")
      .slice(0, 64);
    return isAgentId(id) ? { value: id, why: `The id is written '${id}' here.` } : undefined;
  });
}

function listLength(draft: ImportDraft): number {
  return draft.leaves.reduce((length, { path }) => {
    return path[0] === "agents" && path[1] === "list" && typeof path[2] === "number"
      ? Math.max(length, path[2] + 1)
      : length;
  }, 0);
}

/**
 * Drops the bindings that lost a condition: the rest of one would match more conversations. Runs after every other step
 * that drops something.
 */
export const dropBroadenedBindings: Step = (draft) => {
  const loose = draft.findings.flatMap(({ kind, path }) => (kind === "changed" ? [] : bindingOf(path)));
  return [...new Map(loose.map((path) => [keyOf(path), path])).values()].reduce((current, path) => {
    const rest = without(current, (leaf) => leaf.path[0] === "bindings" && isWithin(leaf.from, path));
    if (rest.leaves.length === current.leaves.length) return current;
    const why = "Some of its conditions have no counterpart here, and without them it would match more conversations.";
    const hint = "Write a binding for the agent that should answer.";
    return addFindings(rest, { kind: "refused", path, why, hint });
  }, draft);
};

/** The binding whose conditions something in an imported document is a part of, where it is one. */
function bindingOf(path: Path): Path[] {
  const length = path[0] === "routing" ? 3 : 2;
  const isCondition = path[length] === "match" || path[length] === "type";
  return path[length - 2] === "bindings" && isCondition ? [path.slice(0, length)] : [];
}
