import type { Json } from "../../lib/json.ts";

/** Where a value stands in a document: names of fields, and positions in arrays. */
export type Path = readonly (string | number)[];

/**
 * One value of a document on its way from OpenClaw's shape into ours: a scalar, an empty object or array, or a value
 * that is taken as one, such as a secret's reference.
 */
export interface Leaf {
  /** Where it stood in what was imported. */
  readonly from: Path;
  /** Where it stands now. */
  readonly path: Path;
  readonly value: Json;
  /** Added by the import itself, for a value that is accounted for already. */
  readonly placed?: true;
}

/** The values of a document, in its order. A value for which `isOne` holds is one leaf. */
export function leavesOf(document: Json, isOne: (value: Json) => boolean, path: Path = []): Leaf[] {
  const members = isOne(document) ? [] : membersOf(document);
  if (members.length === 0) return path.length === 0 ? [] : [{ from: path, path, value: document }];
  return members.flatMap(([key, value]) => leavesOf(value, isOne, [...path, key]));
}

/** The document that values make; objects as `Map` cannot be surprised by a field called `__proto__`. */
export function documentOf(leaves: readonly Leaf[]): Json {
  const root: Folder = { members: new Map() };
  for (const { path, value } of leaves) {
    let folder = root;
    for (const [at, key] of path.entries()) {
      if (at === path.length - 1) folder.members.set(key, { value });
      else folder = folderIn(folder, key);
    }
  }
  return jsonOf(root);
}

/** The same values with array positions renumbered without gaps. */
export function renumbered(leaves: readonly Leaf[]): Leaf[] {
  const positions = new Map<string, Map<number, number>>();
  for (const { path } of leaves) {
    for (const [at, key] of path.entries()) {
      if (typeof key !== "number") continue;
      const array = keyOf(path.slice(0, at));
      const known = positions.get(array) ?? new Map<number, number>();
      positions.set(array, known);
      if (!known.has(key)) known.set(key, known.size);
    }
  }
  return leaves.map((leaf) => ({
    ...leaf,
    path: leaf.path.map((key, at) =>
      typeof key === "number" ? (positions.get(keyOf(leaf.path.slice(0, at)))?.get(key) ?? key) : key,
    ),
  }));
}

/** Whether a path is another or leads on from it. */
export function isWithin(path: Path, folder: Path): boolean {
  return folder.length <= path.length && folder.every((key, at) => path[at] === key);
}

/** A path as a text of its own, to look it up by. */
export function keyOf(path: Path): string {
  return JSON.stringify(path);
}

interface Folder {
  members: Map<string | number, Folder | { value: Json }>;
}

function folderIn(folder: Folder, key: string | number): Folder {
  const known = folder.members.get(key);
  if (known !== undefined && "members" in known) return known;
  const made: Folder = { members: new Map() };
  folder.members.set(key, made);
  return made;
}

function jsonOf(node: Folder | { value: Json }): Json {
  if ("value" in node) return node.value;
  const members = [...node.members].map(([key, member]) => [key, jsonOf(member)] as const);
  const isArray = members.length > 0 && members.every(([key]) => typeof key === "number");
  return isArray ? members.map(([, value]) => value) : Object.fromEntries(members);
}

function membersOf(value: Json): [string | number, Json][] {
  if (Array.isArray(value)) return [...value.entries()];
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** A pattern of paths: names with dots in between, where `*` is any one name or position. */
export type Pattern = string;

/** What `*` stood for, where a path is one of the pattern's or leads on from it; undefined where it is neither. */
export function matchStart(path: Path, pattern: Pattern): Path | undefined {
  const parts = partsOf(pattern);
  if (parts.length > path.length) return undefined;
  const stars: (string | number)[] = [];
  for (const [at, part] of parts.entries()) {
    const key = path[at];
    if (part === "*" && key !== undefined) stars.push(key);
    else if (part !== String(key)) return undefined;
  }
  return stars;
}

/** Whether a path is one of the pattern's. */
export function matches(path: Path, pattern: Pattern): boolean {
  return lengthOf(pattern) === path.length && matchStart(path, pattern) !== undefined;
}

/** The path that a pattern is with these in the place of its `*`. */
export function fill(pattern: Pattern, stars: Path): Path {
  const left = [...stars];
  return partsOf(pattern).map((part) => (part === "*" ? (left.shift() ?? part) : part));
}

/** How many steps the pattern has. */
export function lengthOf(pattern: Pattern): number {
  return partsOf(pattern).length;
}

function partsOf(pattern: Pattern): string[] {
  return pattern.split(".");
}
