import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import { isImageType, type KeptFile, keepInInbox, safeName } from "../../turn/inbox.ts";
import { MAX_FILE_BYTES, type Workspace, WorkspaceError } from "../../workspace/workspace.ts";

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/;
const MAX_FILES = 10;

/** A file in the body of a request. */
export interface AttachedFile {
  /** The path of its field in the request. */
  param: string;
  /** `data:` URL. */
  url: string;
  name?: string;
}

interface DecodedFile {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  name: string | undefined;
}

/**
 * Stores the files of a request in the workspace's inbox. Paths contain a digest of the bytes, so a retry writes the
 * same files.
 * @throws IsopodError `invalid_request` where one is no `data:` URL, or too large; nothing is stored then
 */
export async function keepFiles(files: readonly AttachedFile[], workspace: Workspace): Promise<KeptFile[]> {
  if (files.length > MAX_FILES) throw refused(files[MAX_FILES], `there are more than ${MAX_FILES} files`);
  const decoded = files.map(decode);
  return Promise.all(
    decoded.map(async ({ bytes, mediaType, name }) => {
      const path = `inbox/openai-${(await digestOf("SHA-256", bytes)).slice(0, 16)}-${fileName(name, mediaType)}`;
      return keepInInbox({ path, bytes, mediaType }, workspace);
    }),
  ).catch((error) => {
    if (!(error instanceof WorkspaceError)) throw error;
    throw new IsopodError("unavailable", `A file could not be stored: ${error.message}`, "Try again in a moment.");
  });
}

function decode(file: AttachedFile): DecodedFile {
  const { url, name } = file;
  if (/^https?:/i.test(url)) {
    throw refused(file, "files are not fetched from the web", "Send it as a data: URL (base64).");
  }
  const head = DATA_URL.exec(url);
  if (head === null) throw refused(file, "this is no data: URL in base64");
  const bytes = decodeBase64(url.slice(head[0].length));
  if (bytes === undefined) throw refused(file, "this is not base64");
  if (bytes.length > MAX_FILE_BYTES) throw refused(file, `the file is over ${MAX_FILE_BYTES} bytes`);
  return { bytes, mediaType: head[1]?.toLowerCase() ?? "text/plain", name };
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** @throws IsopodError `invalid_request` for an image type that models do not accept */
export function requireImage(file: AttachedFile): AttachedFile {
  const mediaType = DATA_URL.exec(file.url)?.[1]?.toLowerCase();
  if (mediaType === undefined || isImageType(mediaType)) return file;
  throw refused(file, `images of type ${mediaType} are not looked at`, "Send image/png, jpeg, webp or gif.");
}

function fileName(name: string | undefined, mediaType: string): string {
  if (name !== undefined && name !== "") return safeName(name);
  return `file.${
    mediaType
      .split("/")[1]
      ?.replace("jpeg", "jpg")
      .replace(/[^a-z0-9]+/g, "-") ?? "bin"
  }`;
}

function refused(file: AttachedFile | undefined, message: string, hint?: string): IsopodError {
  const param = file?.param ?? "";
  return new IsopodError("invalid_request", `${param}: ${message}`, hint, { param, reason: "invalid_value" });
}
