/** Where the bytes of an archive are, and which folder in it is meant. */
export interface ArchivePlace {
  url: string;
  /** A folder of the repository; undefined for all of it. */
  path?: string;
}

/**
 * Where the archive is that an address means. A page of GitHub stands for its repository, branch or folder, whose archive GitHub has
 * elsewhere; of a branch, the name ends at the first `/`. Any other address is the archive's own.
 */
export function archivePlaceOf(address: string): ArchivePlace {
  const url = URL.parse(address);
  if (url === null || !["github.com", "www.github.com"].includes(url.hostname)) return { url: address };
  const [owner, name, kind, ref, ...rest] = url.pathname.split("/").filter((part) => part !== "");
  if (owner === undefined || name === undefined) return { url: address };
  const repository = `https://codeload.github.com/${owner}/${name.replace(/\.git$/, "")}/tar.gz`;
  if (kind === undefined) return { url: `${repository}/HEAD` };
  if (ref === undefined || (kind !== "tree" && kind !== "blob")) return { url: address };
  const folder = decoded((kind === "blob" ? rest.slice(0, -1) : rest).join("/"));
  return { url: `${repository}/${ref}`, ...(folder !== "" && { path: folder }) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // No path is written so: it is looked for as it stands, and not found.
    return path;
  }
}
