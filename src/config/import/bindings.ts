import { find, type Step, without } from "./draft.ts";
import { isWithin, keyOf, type Path } from "./leaves.ts";

/**
 * Leaves out the bindings of whose conditions a part was left out: what is left of one would hold in more places. Comes
 * after all else that leaves something out.
 */
export const dropLooseBindings: Step = (draft) => {
  const loose = draft.findings.flatMap(({ kind, path }) => (kind === "changed" ? [] : bindingOf(path)));
  return [...new Map(loose.map((path) => [keyOf(path), path])).values()].reduce((current, path) => {
    const rest = without(current, (leaf) => leaf.path[0] === "bindings" && isWithin(leaf.from, path));
    if (rest.leaves.length === current.leaves.length) return current;
    const why = "Not all of its conditions can be said here, and without them it would hold in more places.";
    const hint = "See which agent is to answer where, and write a binding for it.";
    return find(rest, { kind: "refused", path, why, hint });
  }, draft);
};

/** The binding whose conditions something in an imported document is a part of, where it is one. */
function bindingOf(path: Path): Path[] {
  const length = path[0] === "routing" ? 3 : 2;
  const isCondition = path[length] === "match" || path[length] === "type";
  return path[length - 2] === "bindings" && isCondition ? [path.slice(0, length)] : [];
}
