import { mediaTypeForPath } from "../workspace/media-type.ts";
import type { WorkspaceContent, WorkspaceFile } from "../workspace/workspace.ts";

/** What a browser may show in place, because it runs nothing; all else is downloaded. */
const PASSIVE = /^(?:image\/(?:png|jpeg|gif|webp|avif)|text\/(?:plain|markdown|csv)|application\/json|audio\/|video\/)/;

/**
 * The headers of a file. Anybody may have written it, and it is served from the origin of the control page: its type is
 * not guessed, it runs no script, loads nothing, and no other site may embed it.
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

/** A file, or the part of it that was asked for. */
export function fileResponse({ file, bytes, offset }: WorkspaceContent, isPart: boolean): Response {
  const headers = new Headers(fileHeaders(file));
  headers.set("Content-Length", String(bytes.length));
  if (isPart) headers.set("Content-Range", `bytes ${offset}-${offset + bytes.length - 1}/${file.size}`);
  return new Response(bytes, { status: isPart ? 206 : 200, headers });
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
