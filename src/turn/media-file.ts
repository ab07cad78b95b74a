import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { MediaRef } from "../models/message.ts";
import { isPdf, mediaTypeForPath, sniffAudioType } from "../workspace/media-type.ts";

/** The most pages that providers take at once. */
const MAX_PAGES = 100;
/** Bytes of a second of an MP3 of few bits, so that a length is rather too long. */
const MP3_BYTES_PER_SECOND = 4000;
/** No recording has fewer bytes in a second: what a platform says cannot be longer. */
const LEAST_BYTES_PER_SECOND = 500;
/** Where a WAV file says how many bytes a second has, and what is plausible there. */
const WAV_RATE_AT = 28;
const WAV_RATES = { least: 4_000, most: 400_000 };

/** A stored file, and what its platform says of it. */
export interface StoredFile {
  path: string;
  bytes: Uint8Array;
  mediaType: string | undefined;
  seconds?: number | undefined;
  isVoice?: true | undefined;
}

/**
 * A file as models may be shown it: a PDF of at most 100 pages without encryption, an MP3 or a WAV; undefined for any
 * other. It is opened before a model sees it, because a provider that refuses a file refuses the whole conversation.
 */
export async function mediaFile(file: StoredFile): Promise<MediaRef | undefined> {
  const { path, bytes, mediaType = mediaTypeForPath(path), isVoice } = file;
  const head = { path, bytes: bytes.length };
  if (isPdf(bytes)) {
    const pages = await pagesOf(path, bytes);
    return pages === undefined ? undefined : { ...head, mediaType: "application/pdf", pages };
  }
  if (!mediaType.startsWith("audio/")) return undefined;
  const type = sniffAudioType(bytes);
  if (type !== "audio/wav" && type !== "audio/mpeg") return undefined;
  const measured = Math.ceil(bytes.length / bytesPerSecond(type, bytes));
  const seconds = Math.min(file.seconds ?? measured, Math.ceil(bytes.length / LEAST_BYTES_PER_SECOND));
  return { ...head, mediaType: type, seconds, ...(isVoice && { isVoice }) };
}

/** The number of a PDF's pages; undefined if models do not take it. */
async function pagesOf(path: string, bytes: Uint8Array): Promise<number | undefined> {
  const { pdfFacts } = await import("../extract/open-pdf.ts");
  try {
    const { pages, isEncrypted } = await pdfFacts(bytes);
    return isEncrypted || pages > MAX_PAGES ? undefined : pages;
  } catch (error) {
    log("info", "file.not_shown", { path, error: messageOf(error) });
    return undefined;
  }
}

function bytesPerSecond(type: "audio/wav" | "audio/mpeg", bytes: Uint8Array): number {
  if (type === "audio/mpeg" || bytes.length < WAV_RATE_AT + 4) return MP3_BYTES_PER_SECOND;
  const rate = new DataView(bytes.buffer, bytes.byteOffset).getUint32(WAV_RATE_AT, true);
  return Math.min(Math.max(rate, WAV_RATES.least), WAV_RATES.most);
}
