import type { z } from "zod";
import { absenceOf, INCLUDE } from "./absences.ts";
import {
  addFindings,
  type ImportDraft,
  type ImportFinding,
  leavesIn,
  originOf,
  placesIn,
  takeOut,
  without,
} from "./draft.ts";
import { documentOf, keyOf, type Leaf, type Path, renumbered } from "./leaves.ts";

/** A fault that the schema reports. */
interface SchemaFault {
  kind: "unknown" | "refused";
  path: Path;
  message: string;
}

/** Removes the fields that the schema does not have, each with the reason. */
export function dropUnknown(draft: ImportDraft, schema: z.ZodType): ImportDraft {
  const unsafe = draft.leaves.filter(({ path }) => path.includes(PROTO));
  const findings = unsafe.map(({ from }): ImportFinding => ({ kind: "unknown", path: from, ...NO_SUCH_FIELD }));
  const safe = addFindings(
    without(draft, (leaf) => unsafe.includes(leaf)),
    ...findings,
  );
  // What is taken as one value, a reference to a secret, is looked into later.
  return dropUntilNone(safe, schema, ({ kind, path }, standing) => kind === "unknown" && standing.has(keyOf(path)));
}

/** A name that zod's schemas ignore. */
const PROTO = "__proto__";

/** Takes out everything that the schema does not accept: what is left is valid. */
export function dropInvalid(draft: ImportDraft, schema: z.ZodType): ImportDraft {
  return dropUntilNone(draft, schema, () => true);
}

/** Each round takes out at least one value, or a folder nearer to the root, so that it comes to an end. */
function dropUntilNone(
  draft: ImportDraft,
  schema: z.ZodType,
  counts: (fault: SchemaFault, standing: ReadonlySet<string>) => boolean,
): ImportDraft {
  let current: ImportDraft = { ...draft, leaves: renumbered(draft.leaves) };
  for (;;) {
    const standing = placesIn(current.leaves);
    const faults = faultsOf(schema, documentOf(current.leaves)).filter((fault) => counts(fault, standing));
    if (faults.length === 0) return current;
    const next = drop(current, faults, standing);
    if (next === current) return current;
    current = { ...next, leaves: renumbered(next.leaves) };
  }
}

function faultsOf(schema: z.ZodType, document: unknown): SchemaFault[] {
  const { error } = schema.safeParse(document);
  return error === undefined ? [] : error.issues.flatMap((issue) => faultsIn(issue, []));
}

/** The faults of an issue; those of a union are the ones of the member that the value comes nearest to. */
function faultsIn(issue: z.core.$ZodIssue, base: Path): SchemaFault[] {
  const path = [...base, ...issue.path.filter((key) => typeof key !== "symbol")];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ kind: "unknown", path: [...path, key], message: issue.message }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const nearest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0] ?? [];
    if (depthOf(nearest) > 0) return nearest.flatMap((inner) => faultsIn(inner, path));
  }
  return [{ kind: "refused", path, message: issue.message }];
}

/** How far into the value the first of some issues is. */
function depthOf(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length + (issue.code === "unrecognized_keys" ? 1 : 0)));
}

/** Removes what is at fault. Of several faults at one path the first is reported. */
function drop(draft: ImportDraft, faults: readonly SchemaFault[], standing: ReadonlySet<string>): ImportDraft {
  const places = new Map<string, { place: Path; fault: SchemaFault }>();
  for (const fault of faults) {
    const nearest = placeOf(fault.path, standing);
    // What is wrong with the document as a whole is wrong with each of its sections.
    const found = nearest.length > 0 ? [nearest] : draft.leaves.map(({ path }) => path.slice(0, 1));
    for (const place of found) if (!places.has(keyOf(place))) places.set(keyOf(place), { place, fault });
  }
  const all = [...places.values()];
  const gone = leavesIn(
    draft,
    all.map(({ place }) => place),
  );
  if (gone.size === 0) return draft;
  const findings = all.flatMap(({ place, fault }) => {
    const leaves = gone.get(keyOf(place)) ?? [];
    return fault.kind === "unknown" ? unknownAt(leaves, place) : refusedAt(leaves, place, fault);
  });
  const left = takeOut(
    draft,
    all.map(({ place }) => place),
  );
  return addFindings(left, ...findings);
}

/** The nearest path that exists: a missing field is a fault of its parent. */
function placeOf(path: Path, standing: ReadonlySet<string>): Path {
  let place = path;
  while (place.length > 0 && !standing.has(keyOf(place))) place = place.slice(0, -1);
  return place;
}

/** Says of a part that is unknown why, and where parts of it have reasons of their own, those. */
function unknownAt(gone: readonly Leaf[], place: Path): ImportFinding[] {
  const findings = new Map<string, ImportFinding>();
  for (const leaf of gone) {
    if (leaf.placed) continue;
    const included = leaf.path.indexOf("$include");
    const absence = absenceOf(leaf.path, place);
    const length = included >= 0 ? included + 1 : Math.max(place.length, absence?.length ?? 0);
    const path = originOf(leaf, leaf.path.slice(0, length));
    const { why, hint } = included >= 0 ? INCLUDE : (absence ?? NO_SUCH_FIELD);
    findings.set(keyOf(path), { kind: "unknown", path, why, hint });
  }
  return [...findings.values()];
}

const NO_SUCH_FIELD = {
  why: "There is no such field here.",
  hint: "GET /v1/config/schema lists the fields.",
};

/** Values that came from several paths are reported by each of them. */
function refusedAt(gone: readonly Leaf[], place: Path, { path, message }: SchemaFault): ImportFinding[] {
  const inner = path.slice(place.length).join(".");
  const why = inner === "" ? message : `${inner}: ${message}`;
  const hint = "GET /v1/config/schema shows what is accepted there.";
  const origins = gone.filter(({ placed }) => !placed).map((leaf) => originOf(leaf, place));
  const distinct = new Map(origins.map((origin) => [keyOf(origin), origin]));
  return [...distinct.values()].map((origin) => ({ kind: "refused", path: origin, why, hint }));
}
