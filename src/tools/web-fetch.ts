import { z } from "zod";
import { defineTool, type Tool, type ToolCall, type ToolOutput } from "../agent/tool.ts";
import type { ReadDocument } from "../extract/extract.ts";
import { head } from "../lib/text.ts";
import { hostOf } from "../lib/url.ts";
import { EgressError } from "../security/egress-error.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { hostLabel, joinLabels, type Label } from "../security/labels.ts";
import type { SafeFetch, SafeResponse } from "../security/safe-fetch.ts";
import type { KeyedCache } from "./keyed-cache.ts";

/** What pages are fetched with. */
export interface WebFetchPort {
  /** The guarded way out. */
  egress: SafeFetch;
  /** Pages of the last minutes, by address. */
  pages: KeyedCache<FetchedPage>;
  readDocument: ReadDocument | undefined;
  /** Stores an image and gives its path; absent if the turn has no files. @throws WorkspaceError */
  keepImage: ((image: FetchedImage) => Promise<string>) | undefined;
  /** Most characters of a result. */
  maxChars: number;
  maxRedirects: number;
  timeoutMs: number;
  userAgent: string;
  /** The door for what pages say. */
  outside: OutsidePort;
}

export interface FetchedImage {
  bytes: Uint8Array;
  mediaType: string;
  /** The hosts that it comes from. */
  labels: readonly Label[];
}

/** A page as it was read. */
export interface FetchedPage {
  /** The final address, after redirects. */
  address: string;
  title: string;
  text: string;
  /** How it was read, if that matters. */
  note?: string;
}

/** The largest image that models take. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** The most of a title that people are shown. */
const MAX_TITLE_CHARS = 300;
/** A part of a page ends at a line's end if that costs no more than this share of it. */
const MOST_LEFT = 0.2;

const parameters = z.strictObject({
  url: z.string().min(1).max(8_000).describe("The whole address, with https://"),
  maxChars: z.int().min(200).optional().describe("Most characters to show"),
  offset: z.int().min(0).default(0).describe("Characters of the page to skip, to read on"),
  raw: z.boolean().default(false).describe("The text as it came, such as the HTML"),
});

type Args = z.infer<typeof parameters>;

/** Fetches a page and shows its readable part. Safe to replay: it only reads. */
export function webFetchTool(port: WebFetchPort): Tool<Args> {
  return defineTool({
    name: "web_fetch",
    summary: "Fetch a web page and read its text",
    description:
      "Gives the readable part of a public address as Markdown with links: a page's article, a feed, JSON, a text, " +
      "a PDF, an image. It does not search, runs no scripts and is signed in nowhere. A long page says how to read " +
      "on.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ url }) => [{ kind: "reach", url }],
    async run(args, call) {
      const key = `${args.raw ? "raw" : "read"} ${args.url}`;
      const page = port.pages.find(key) ?? (await fetchPage(args, call, port));
      if ("images" in page) return page;
      port.pages.keep(key, page);
      return shown(page, args, port);
    },
  });
}

/** Fetches and reads a page; an image is a result already. */
async function fetchPage({ url, raw }: Args, call: ToolCall, port: WebFetchPort): Promise<FetchedPage | ImageOutput> {
  const answer = await request(url, call, port);
  const { body: bytes, url: address } = answer;
  const contentType = answer.headers["content-type"];
  const { extract } = await import("../extract/extract.ts");
  const found = await extract({ bytes, contentType, address }, raw, port.readDocument);
  if (found.kind === "text") return { address, ...found };
  const labels = labelsOf(url, address);
  if (port.keepImage === undefined)
    throw new Error("It is an image, and this conversation has no files to keep it in.");
  if (bytes.length > MAX_IMAGE_BYTES)
    throw new Error(`It is an image of ${bytes.length} bytes, too large to be shown.`);
  const path = await port.keepImage({ bytes, mediaType: found.mediaType, labels });
  const text = `It is an image (${found.mediaType}, ${bytes.length} bytes), stored as ${path}.`;
  return { text, images: [{ path, mediaType: found.mediaType }], labels };
}

type ImageOutput = ToolOutput & Required<Pick<ToolOutput, "images">>;

/** @throws Error with what is wrong and what to do */
async function request(url: string, { signal }: ToolCall, port: WebFetchPort): Promise<SafeResponse> {
  const { maxRedirects, timeoutMs, userAgent } = port;
  const headers = {
    Accept: "text/markdown, text/html, application/xhtml+xml;q=0.9, */*;q=0.8",
    "Accept-Language": "en, *;q=0.5",
    "User-Agent": userAgent,
  };
  try {
    const answer = await port.egress(url, { headers, maxRedirects, timeoutMs, signal });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${hostOf(answer.url)} answered with status ${answer.status}: ${advice(answer.status)}`);
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new Error(`${thrown.message} ${thrown.hint}`, { cause: thrown });
  }
}

function advice(status: number): string {
  if (status === 404 || status === 410) return "nothing is at this address. Look for another one.";
  if (status === 401 || status === 402) return "the page is for people who are signed in. Look for another source.";
  if (status === 403 || status === 451) return "it does not show the page to programs. Look for another source.";
  if (status === 429) return "it was asked too often. Wait, or look for another source.";
  if (status >= 500) return "it has a fault. Try again later, or look for another source.";
  return "it gives no page. Check the address.";
}

/** A part of a page, fenced, with how to read on. */
function shown(
  { address, title, text, note }: FetchedPage,
  { url, offset, maxChars }: Args,
  port: WebFetchPort,
): ToolOutput {
  if (offset > 0 && offset >= text.length) {
    throw new Error(`The page has ${text.length} characters, so there is nothing at offset ${offset}.`);
  }
  const part = partOf(text, offset, Math.min(maxChars ?? port.maxChars, port.maxChars));
  const end = offset + part.length;
  const metadata = {
    Address: address,
    ...(address !== withoutFragment(url) && { "Redirected from": url }),
    ...(title !== "" && { Title: title }),
  };
  const fenced = fromOutside(
    { text: part, source: "web_fetch", labels: labelsOf(url, address), metadata },
    port.outside,
  );
  const lines = [
    ...(text === "" ? ["The page has no text."] : []),
    ...(note === undefined ? [] : [note]),
    ...(end < text.length ? [`Characters ${offset} to ${end} of ${text.length}. Read on with offset=${end}.`] : []),
  ];
  return {
    text: [fenced.text, ...lines.map((line) => `[${line}]`)].join("\n"),
    labels: fenced.labels,
    sources: [{ url: address, title: head(title, MAX_TITLE_CHARS) }],
  };
}

function partOf(text: string, offset: number, max: number): string {
  const part = head(text.slice(offset), max);
  if (offset + part.length === text.length) return part;
  const line = part.lastIndexOf("\n") + 1;
  return line >= part.length * (1 - MOST_LEFT) ? part.slice(0, line) : part;
}

function withoutFragment(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = "";
  return parsed.href;
}

function labelsOf(...addresses: string[]): readonly Label[] {
  return joinLabels(addresses.map((address) => hostLabel(hostOf(address))));
}
