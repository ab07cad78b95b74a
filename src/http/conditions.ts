import type { ByteRange, Expectation } from "../workspace/workspace.ts";

/** The value of `If-Match` or `If-None-Match`: any version, or these (RFC 9110, 8.8.3). */
type Etags = "*" | readonly { value: string; weak: boolean }[];

/** Whether `If-Match` lets a request through; only strong etags count (RFC 9110, 13.1.1). */
export function passesIfMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  const named = parseEtags(header);
  return named === "*" || named.some((one) => one.value === etag && !one.weak);
}

/** Whether `If-None-Match` lets a request through; weak etags count as strong ones do (RFC 9110, 13.1.2). */
export function passesIfNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  const named = parseEtags(header);
  return named !== "*" && !named.some((one) => one.value === etag);
}

/**
 * The version that a write expects to replace; undefined where a condition fails. `current` reads the current etag, and
 * is called only where the headers alone do not decide.
 */
export async function expectedVersion(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
  current: () => Promise<string | undefined>,
): Promise<Expectation | undefined> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return { kind: "any" };
  if (ifMatch === undefined && ifNoneMatch?.trim() === "*") return { kind: "new" };
  const etag = await current();
  if (etag === undefined) return ifMatch === undefined ? { kind: "new" } : undefined;
  const passes = passesIfMatch(ifMatch, etag) && passesIfNoneMatch(ifNoneMatch, etag);
  return passes ? { kind: "etag", etag } : undefined;
}

/**
 * The byte range of a `Range` header. Undefined for several ranges, other units and bad syntax, for which a server may
 * answer the whole file (RFC 9110, 14.2).
 */
export function requestedRange(header: string | undefined): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replaceAll(" ", "") ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first === "") return { suffix: position(last) };
  const offset = position(first);
  if (last === "") return { offset };
  return position(last) < offset ? undefined : { offset, length: position(last) - offset + 1 };
}

/** A position in a file, capped at the largest safe integer. */
function position(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER - 1);
}

function parseEtags(header: string): Etags {
  if (header.trim() === "*") return "*";
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, value]) => ({
    value: value ?? "",
    weak: weak !== undefined,
  }));
}
