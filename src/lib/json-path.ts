/**
 * The value at a path of names and positions, such as `messages[0].from`; undefined where there is none. Only what the
 * value itself holds is found, nothing of its prototype.
 */
export function jsonAt(value: unknown, path: string): unknown {
  let at = value;
  for (const [, name, position] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (typeof at !== "object" || at === null) return undefined;
    if (position !== undefined) at = Array.isArray(at) ? at[Number(position)] : undefined;
    else at = Object.hasOwn(at, name ?? "") ? (at as Record<string, unknown>)[name ?? ""] : undefined;
  }
  return at;
}
