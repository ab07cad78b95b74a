import { deleteKeys, isExpired, type VersionStore, versionsFolder } from "./versions.ts";

/** How often the versions of an agent are looked through, in milliseconds. */
const EVERY_MS = 24 * 60 * 60 * 1000;
/** Most pages of R2's listing that are read at once; a page has 1,000 versions. */
const MAX_PAGES = 20;

/**
 * Deletes what is older than 30 days among all versions of an agent, and says how much: also of files that nobody writes
 * to any more. Done once a day at most; one that is too long for one go is gone on with the next time. Doing it twice is
 * harmless.
 */
export async function sweepVersions(store: VersionStore, now: number): Promise<number> {
  const prefix = versionsFolder(store.agentId);
  const marker = `${prefix}.swept`;
  const last = await store.attempt(marker, () => store.bucket.head(marker));
  const from = last?.customMetadata?.from;
  if (last !== null && from === undefined && last.uploaded.getTime() > now - EVERY_MS) return 0;
  const expired: string[] = [];
  let options: R2ListOptions = from === undefined ? { prefix } : { prefix, startAfter: decodeURIComponent(from) };
  let next: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await store.attempt(marker, () => store.bucket.list(options));
    const old = page.objects.filter(({ key, uploaded }) => key !== marker && isExpired(uploaded.getTime(), now));
    expired.push(...old.map(({ key }) => key));
    next = page.truncated ? page.objects.at(-1)?.key : undefined;
    if (!page.truncated) break;
    options = { prefix, cursor: page.cursor };
  }
  await deleteKeys(store, marker, expired);
  const customMetadata = next === undefined ? {} : { from: encodeURIComponent(next) };
  await store.attempt(marker, () => store.bucket.put(marker, "", { customMetadata }));
  return expired.length;
}
