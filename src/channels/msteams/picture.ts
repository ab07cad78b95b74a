import type { OutboundFile } from "../channel.ts";

const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif"]);
/** Larger pictures are not shown. */
const MAX_PICTURE_BYTES = 1024 * 1024;

/** Bots send pictures; any other file has to be uploaded to a person's OneDrive, after the person has agreed. */
export function isPicture({ mediaType, bytes }: Pick<OutboundFile, "mediaType" | "bytes">): boolean {
  return PICTURES.has(mediaType) && bytes.length <= MAX_PICTURE_BYTES;
}
