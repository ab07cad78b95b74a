import type { Json } from "../../lib/json.ts";
import { fill, isWithin, keyOf, type Leaf, lengthOf, matchStart, type Path, type Pattern } from "./leaves.ts";

/** What was found about a value that does not come over as it is. */
export type ImportFinding =
  /** It comes over in another form, or means here what is so anyway. */
  | { kind: "changed"; path: Path; why: string }
  /** There is nothing here that it could set. */
  | { kind: "unknown"; path: Path; why: string; hint: string }
  /** It could be set, but not with that value. */
  | { kind: "refused"; path: Path; why: string; hint: string };

/** A document on its way, and what was found on the way. Every value is in `leaves` or accounted for in `findings`. */
export interface ImportDraft {
  readonly leaves: readonly Leaf[];
  readonly findings: readonly ImportFinding[];
}

/** One step of the way. */
export type Step = (draft: ImportDraft) => ImportDraft;

/** Does the steps one after the other. */
export function inOrder(...steps: readonly Step[]): Step {
  return (draft) => steps.reduce((current, step) => step(current), draft);
}

/** The values at a path and below it. */
export function leavesAt({ leaves }: ImportDraft, path: Path): Leaf[] {
  return leaves.filter((leaf) => isWithin(leaf.path, path));
}

/** Removes values, and the objects that held them. */
export function without(draft: ImportDraft, goes: (leaf: Leaf) => boolean): ImportDraft {
  return { ...draft, leaves: draft.leaves.filter((leaf) => !goes(leaf)) };
}

/** Adds values. */
export function withLeaves(draft: ImportDraft, ...leaves: readonly Leaf[]): ImportDraft {
  return { ...draft, leaves: [...draft.leaves, ...leaves] };
}

/** Adds what was found. */
export function addFindings(draft: ImportDraft, ...findings: readonly ImportFinding[]): ImportDraft {
  return { ...draft, findings: [...draft.findings, ...findings] };
}

/** Replaces values, with a finding for each. */
export function rewrite(draft: ImportDraft, to: (leaf: Leaf) => { value: Json; why: string } | undefined): ImportDraft {
  const findings: ImportFinding[] = [];
  const leaves = draft.leaves.map((leaf) => {
    const rewritten = to(leaf);
    if (rewritten === undefined) return leaf;
    findings.push({ kind: "changed", path: leaf.from, why: rewritten.why });
    return { ...leaf, value: rewritten.value };
  });
  return addFindings({ ...draft, leaves }, ...findings);
}

/** The values at each of some places and below it, by the place's key; what is in two of them is in the outer one's. */
export function leavesIn({ leaves }: ImportDraft, places: readonly Path[]): Map<string, Leaf[]> {
  const wanted = new Set(places.map(keyOf));
  const found = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const place = prefixesOf(leaf.path).find((key) => wanted.has(key));
    if (place !== undefined) found.set(place, [...(found.get(place) ?? []), leaf]);
  }
  return found;
}

/** The keys of every place at which something stands, folders among them. */
export function placesIn(leaves: readonly Leaf[]): Set<string> {
  return new Set(leaves.flatMap(({ path }) => prefixesOf(path)));
}

/**
 * Removes the leaves at and below some paths. Their parents stay, possibly empty, because naming a group or a model has
 * a meaning by itself; only an empty section of the document goes.
 */
export function takeOut(draft: ImportDraft, places: readonly Path[]): ImportDraft {
  const gone = leavesIn(draft, places);
  const going = new Set([...gone.values()].flat());
  const leaves = draft.leaves.filter((leaf) => !going.has(leaf));
  const standing = placesIn(leaves);
  const deepestFirst = [...places].sort((a, b) => b.length - a.length);
  for (const place of deepestFirst) {
    const [first] = gone.get(keyOf(place)) ?? [];
    const holder = place.slice(0, -1);
    if (first === undefined || holder.length < 2 || standing.has(keyOf(holder))) continue;
    const value = typeof place.at(-1) === "number" ? [] : {};
    leaves.push({ from: originOf(first, holder), path: holder, value, placed: true });
    for (const key of prefixesOf(holder)) standing.add(key);
  }
  return { ...draft, leaves };
}

function prefixesOf(path: Path): string[] {
  return path.map((_, at) => keyOf(path.slice(0, at + 1)));
}

/**
 * Moves values. A value that exists at the target stays, and the moved one is removed with a finding.
 */
export function move(draft: ImportDraft, from: Pattern, to: Pattern): ImportDraft {
  const moved = draft.leaves.flatMap((leaf) => {
    const stars = matchStart(leaf.path, from);
    return stars === undefined ? [] : [{ leaf, path: [...fill(to, stars), ...leaf.path.slice(lengthOf(from))] }];
  });
  return place(draft, moved);
}

/** Moves each of some values to a path of its own, by the rule of `move`. */
export function place(draft: ImportDraft, moved: readonly { leaf: Leaf; path: Path }[]): ImportDraft {
  if (moved.length === 0) return draft;
  const going = new Set(moved.map(({ leaf }) => leaf));
  const staying = draft.leaves.filter((leaf) => !going.has(leaf));
  const taken = new Set(staying.filter((leaf) => !isEmpty(leaf)).map(({ path }) => keyOf(path)));
  const opened = new Set(staying.flatMap(({ path }) => path.map((_, at) => keyOf(path.slice(0, at)))));
  const isTaken = (path: Path) =>
    opened.has(keyOf(path)) || path.some((_, at) => taken.has(keyOf(path.slice(0, at + 1))));
  const arrived: Leaf[] = [];
  const findings: ImportFinding[] = [];
  for (const { leaf, path } of moved) {
    if (isTaken(path)) findings.push(...takenBy(leaf, path));
    else arrived.push({ ...leaf, path });
  }
  const filled = placesIn(arrived);
  const kept = staying.filter((leaf) => !(isEmpty(leaf) && filled.has(keyOf(leaf.path))));
  return { leaves: [...kept, ...arrived], findings: [...draft.findings, ...findings] };
}

/** Whether a value is an object or an array with nothing in it. */
function isEmpty({ value }: Leaf): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Where in the imported document the folder is that a value stands in now. */
export function originOf(leaf: Leaf, folder: Path): Path {
  if (isWithin(leaf.from, folder)) return folder;
  const steps = leaf.from.length - (leaf.path.length - folder.length);
  return steps > 0 ? leaf.from.slice(0, steps) : leaf.from;
}

function takenBy(leaf: Leaf, path: Path): ImportFinding[] {
  if (leaf.placed) return [];
  const why = `It is an older name of ${path.join(".")}, which is set as well.`;
  return [{ kind: "unknown", path: leaf.from, why, hint: "The newer one counts; compare the two." }];
}
