import { z } from "zod";
import { defineTool, type Effect, type Tool, type ToolCall, type ToolOutput } from "../agent/tool.ts";
import type { PageEgress } from "../browser/answer-request.ts";
import type { BrowserPage, PageAction, PageView } from "../browser/browser-page.ts";
import { KEYS } from "../browser/keys.ts";
import type { BrowserSource, SessionBrowser } from "../browser/session-browser.ts";
import { head } from "../lib/text.ts";
import { hostOf } from "../lib/url.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { hostLabel, joinLabels, type Label } from "../security/labels.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import type { FetchedImage } from "./web-fetch.ts";

/** What pages are driven with. */
export interface BrowserPort {
  /** The session's browser. */
  browser: Pick<SessionBrowser, "page" | "pageFor" | "during" | "close">;
  source: BrowserSource;
  /** The guarded way out, by which the Worker answers what pages request. */
  egress: SafeFetch;
  /**
   * Decides about what a page loads by itself.
   * @param from the address of the document that asks
   * @param opened the host of the address that the call opens, which the gate has let through
   * @returns why not, as a sentence; undefined if it may
   */
  mayLoad(url: string, from: string, opened: string | undefined): string | undefined;
  /** Stores a picture and gives its path; absent if the turn has no files. @throws WorkspaceError */
  keepImage: ((image: FetchedImage) => Promise<string>) | undefined;
  /** The door for what pages say. */
  outside: OutsidePort;
}

/** The most of a page in one result: a tree says more in a character than an article does. */
export const MAX_SNAPSHOT_CHARS = 12_000;
/** The most of a title that people are shown. */
const MAX_TITLE_CHARS = 300;
const MAX_TEXT_CHARS = 10_000;

const ACTIONS = ["open", "snapshot", "click", "type", "press", "back", "screenshot", "close"] as const;

const parameters = z
  .strictObject({
    action: z.enum(ACTIONS),
    url: z.string().min(1).max(8_000).optional().describe("open: the whole address"),
    ref: z.string().min(1).optional().describe("click, type: such as e12"),
    text: z.string().max(MAX_TEXT_CHARS).optional().describe("type: the field's new text, or the option of a list"),
    submit: z.boolean().optional().describe("type: press Enter then"),
    key: z.enum(KEYS).optional().describe("press"),
    offset: z.int().min(0).optional().describe("snapshot: characters to skip"),
  })
  .superRefine((given, context) => {
    for (const field of NEEDED[given.action] ?? []) {
      if (given[field] !== undefined) continue;
      context.addIssue({ code: "custom", path: [field], message: `action ${given.action} needs ${field}` });
    }
  });

const NEEDED: Partial<Record<(typeof ACTIONS)[number], readonly ("url" | "ref" | "text" | "key")[]>> = {
  open: ["url"],
  click: ["ref"],
  type: ["ref", "text"],
  press: ["key"],
};

type Args = z.infer<typeof parameters>;

/** Drives a page in a browser. Never replayed: the page is gone after a crash, and what was clicked was clicked. */
export function browserTool(port: BrowserPort): Tool<Args> {
  return defineTool({
    name: "browser",
    summary: "Open a page that needs its scripts, click and type on it",
    description:
      "Drives one page in a browser, for what web_fetch cannot read or do. Actions answer with the page as a tree, its " +
      "elements with refs. Nobody is signed in. close it when you are done: its time costs money.",
    parameters,
    replay: "unsafe",
    sequential: true,
    effects: (args) => effectsOf(args, port.browser.page),
    run: (args, call) => port.browser.during(port.source, () => act(args, call, port)),
  });
}

/**
 * What a call does outside: an address is opened, words go to the host of the document that they are typed into, and a
 * click or a key to the page's own.
 */
function effectsOf({ action, url, ref, text }: Args, page: BrowserPage | undefined): Effect[] {
  if (action === "open" && url !== undefined) return [{ kind: "reach", url }];
  if (page === undefined || !["click", "type", "press", "back"].includes(action)) return [];
  const address = (ref === undefined ? undefined : page.addressOf(ref)) ?? page.address;
  return [{ kind: "reach", url: address, ...(action === "type" && { sends: text ?? "" }) }];
}

async function act(args: Args, call: ToolCall, port: BrowserPort): Promise<ToolOutput> {
  if (args.action === "close") {
    const wasOpen = port.browser.page !== undefined;
    await port.browser.close();
    return { text: wasOpen ? "The browser is closed." : "No page was open." };
  }
  if (args.action === "open") {
    call.update("Opening a browser");
    const page = await port.browser.pageFor(port.source);
    const view = await page.act({ kind: "open", url: args.url ?? "" }, egressOf(port, call, args.url));
    return shown(view, 0, port);
  }
  const { page } = port.browser;
  if (page === undefined) {
    throw new Error(
      `No page is open: none was opened, or it was closed after ${port.source.idleMs / 1000} seconds without a call, or Isopod started anew. Use action open with the address.`,
    );
  }
  const egress = egressOf(port, call);
  if (args.action === "screenshot") return picture(page, port);
  if (args.action === "snapshot") return shown(await page.view(egress), args.offset ?? 0, port);
  return shown(await page.act(pageAction(args), egress), 0, port);
}

function pageAction({ action, ref = "", text = "", submit = false, key }: Args): PageAction {
  if (action === "click") return { kind: "click", ref };
  if (action === "type") return { kind: "type", ref, text, submit };
  if (action === "press" && key !== undefined) return { kind: "press", key };
  return { kind: "back" };
}

function egressOf({ egress, mayLoad }: BrowserPort, { signal }: ToolCall, url?: string): PageEgress {
  const opened = url === undefined ? undefined : hostOf(url);
  return { fetch: egress, mayLoad: (asked, from) => mayLoad(asked, from, opened), signal };
}

/** A part of the page as it is now, fenced, with how to read on. */
function shown(view: PageView, offset: number, { outside }: BrowserPort): ToolOutput {
  const { address, title, text, notes } = view;
  if (offset > 0 && offset >= text.length)
    throw new Error(`The page has ${text.length} characters, so there is nothing at offset ${offset}.`);
  const part = wholeLines(text.slice(offset));
  const end = offset + part.length;
  const metadata = { Address: address, ...(title !== "" && { Title: head(title, MAX_TITLE_CHARS) }) };
  // What a page has wanted and not got is said in its own words in part: a dialog, an address.
  const words = [part === "" ? "(The page shows nothing.)" : part, ...notes.map((note) => `(${note})`)].join("\n");
  const fenced = fromOutside({ text: words, source: "browser", labels: labelsOf(view), metadata }, outside);
  const more = `[Characters ${offset} to ${end} of ${text.length}. Read on with action snapshot and offset=${end}.]`;
  return {
    text: end < text.length ? `${fenced.text}\n${more}` : fenced.text,
    labels: fenced.labels,
    sources: [{ url: address, title: head(title, MAX_TITLE_CHARS) }],
  };
}

function wholeLines(text: string): string {
  const part = head(text, MAX_SNAPSHOT_CHARS);
  const line = part.lastIndexOf("\n") + 1;
  return part.length === text.length || line === 0 ? part : part.slice(0, line);
}

async function picture(page: BrowserPage, { keepImage }: BrowserPort): Promise<ToolOutput> {
  if (keepImage === undefined) throw new Error("This conversation has no files to keep a picture in. Take a snapshot.");
  const { address, hosts, bytes, mediaType } = await page.picture();
  const labels = labelsOf({ address, hosts });
  const path = await keepImage({ bytes, mediaType, labels });
  const text = `A picture of what is in view (${mediaType}, ${bytes.length} bytes), stored as ${path}.`;
  return { text, images: [{ path, mediaType }], labels };
}

function labelsOf({ address, hosts }: Pick<PageView, "address" | "hosts">): readonly Label[] {
  const own = /^https?:/.test(address) ? [hostOf(address)] : [];
  return joinLabels([...own, ...hosts].map(hostLabel));
}
