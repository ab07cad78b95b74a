import { mediaTypeForPath } from "../workspace/media-type.ts";
import type { WorkspaceContent, WorkspaceFile } from "../workspace/workspace.ts";

/** The headers of untrusted data: a browser must not guess its type, run it or cache it. */
export const DATA_HEADERS = {
  "Cache-Control": "private, no-store",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** Media types that a browser may show, because they run no script; all others are downloaded. */
const PASSIVE = /^(?:image\/(?:png|jpeg|gif|webp|avif)|text\/(?:plain|markdown|csv)|application\/json|audio\/|video\/)/;

/**
 * The headers of a workspace file. Its content is untrusted, and it is served from the origin of the control page: the
 * browser must not guess its type, run its scripts, load resources for it, or embed it in another site.
 */
export function fileHeaders(file: WorkspaceFile): Record<string, string> {
  const type = mediaTypeForPath(file.path);
  const name = encodeURIComponent(file.path.split("/").at(-1) ?? "").replace(/['()*]/g, percentEncoded);
  return {
    ETag: `"${file.etag}"`,
    "Last-Modified": new Date(file.modifiedAt).toUTCString(),
    "Content-Type": type,
    "Content-Disposition": `${PASSIVE.test(type) ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
  };
}

/** The response with a file, or with the requested range of it. */
export function fileResponse({ file, bytes, offset }: WorkspaceContent, isPart: boolean): Response {
  const headers = new Headers(fileHeaders(file));
  headers.set("Content-Length", String(bytes.length));
  if (isPart) headers.set("Content-Range", `bytes ${offset}-${offset + bytes.length - 1}/${file.size}`);
  return new Response(bytes, { status: isPart ? 206 : 200, headers });
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
