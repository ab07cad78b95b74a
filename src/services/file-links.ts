import { fromBase64, toBase64Url } from "../lib/base64.ts";
import type { DataKey } from "../security/data-key.ts";

/** How long a link to a file is valid. */
const VALID_MS = 7 * 24 * 60 * 60_000;

const PURPOSE = "links to files";

/** What a link gives: a version of a workspace file, or a text that was kept for it in R2. */
export type LinkedFile = { kind: "file"; agentId: string; path: string; etag: string } | { kind: "text"; key: string };

/**
 * An address of the Worker at which anybody who has it gets a file, for a week.
 * @param origin the Worker's own address
 * @param name the end of the address, for people and browsers; it is not part of what is signed
 */
export async function fileLink(
  file: LinkedFile,
  name: string,
  { dataKey, origin, now }: { dataKey: DataKey; origin: string; now: number },
): Promise<string> {
  const expiresAt = Math.floor((now + VALID_MS) / 1000);
  const claims = toBase64Url(new TextEncoder().encode(JSON.stringify([expiresAt, file])));
  return `${origin}/files/${claims}.${await dataKey.sign(claims, PURPOSE)}/${encodeURIComponent(name)}`;
}

/** What a link's signed part gives; "expired" if it did, and undefined if the Worker has not made it. */
export async function readFileLink(
  signed: string,
  { dataKey, now }: { dataKey: DataKey; now: number },
): Promise<LinkedFile | "expired" | undefined> {
  const [claims = "", signature = ""] = signed.split(".");
  if (!(await dataKey.verify(claims, signature, PURPOSE))) return undefined;
  // What the Worker has signed, it has written.
  const [expiresAt, file] = await new Response(fromBase64(claims) ?? "").json<[number, LinkedFile]>();
  return expiresAt * 1000 <= now ? "expired" : file;
}
