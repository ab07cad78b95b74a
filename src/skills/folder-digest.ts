import { shortDigest } from "../lib/digest.ts";

/** A digest of a folder's files by path and etag: it changes whenever one is changed, added or taken away. */
export function folderDigest(files: Iterable<{ path: string; etag: string }>): Promise<string> {
  const lines = [...files].map(({ path, etag }) => JSON.stringify([path.normalize("NFC"), etag]));
  return shortDigest(lines.sort().join("\n"));
}
