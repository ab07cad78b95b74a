import type { McpServer } from "../config/mcp-schema.ts";
import { shortDigest } from "../lib/digest.ts";
import { globMatcher } from "../lib/glob.ts";
import { hostOf } from "../lib/url.ts";
import type { ServerFailure } from "./failure.ts";
import type { LeftOutTool, ListedTool } from "./listed-tool.ts";
import type { Accepted, AcceptedTool, Listing, StoredServer } from "./server-store.ts";

/** What turns can have of a server now. */
export interface ServerState extends McpServer {
  host: string;
  /** The tools that an owner has accepted as they are. None where the server cannot be used. */
  tools: readonly ListedTool[];
  /** Chosen tools that are new, or not what was accepted. They are held back. */
  pending: readonly PendingTool[];
  /** Chosen tools that models cannot be given. */
  leftOut: readonly LeftOutTool[];
  /** What it said of itself when it was last listed. */
  about?: string;
  /** Why it cannot be used; absent if it can. */
  trouble?: ServerFailure | { kind: "new"; message: string };
  /** Whether it has resources that may be read. */
  hasResources?: true;
  protocol?: Listing["protocol"];
}

/** The name by which the configuration and policies choose the reading of resources, as if it were a tool. */
export const READ_RESOURCE = "read_resource";

/** A tool that waits for an owner, with what was accepted under its name before. */
export interface PendingTool {
  tool: ListedTool;
  was?: AcceptedTool;
}

/** How long what a server offers is used before it is listed again, and how soon one that failed is asked again. */
const LISTING_SERVES_MS = 10 * 60_000;
const FAILURE_SERVES_MS = 60_000;

/** The characters of the code of what waits for an owner: 60 bits, as the server chooses the text. */
const CODE_CHARS = 12;

/** The state of a server, from what is stored of it. */
export function serverState({ name, config }: McpServer, row: StoredServer | undefined): ServerState {
  const base = { name, config, host: hostOf(config.url) };
  const nothing = { ...base, tools: [], pending: [], leftOut: [] };
  if (row === undefined || row.url !== config.url) {
    return { ...nothing, trouble: { kind: "new", message: "It has not answered yet." } };
  }
  const { listing, failure, accepted = {} } = row;
  const trouble = failure && { trouble: failure };
  if (listing === undefined) return { ...nothing, ...trouble };
  const isChosen = toolChoice(config.tools);
  const chosen = listing.tools.filter(({ tool }) => isChosen(tool));
  const isAccepted = ({ tool, digest }: ListedTool) => acceptedOf(accepted, tool)?.digest === digest;
  return {
    ...base,
    tools: failure === undefined ? chosen.filter(isAccepted) : [],
    pending: chosen
      .filter((tool) => !isAccepted(tool))
      .map((tool) => {
        const was = acceptedOf(accepted, tool.tool);
        return { tool, ...(was && { was }) };
      }),
    leftOut: listing.leftOut.filter(({ tool }) => isChosen(tool)),
    about: listing.about,
    protocol: listing.protocol,
    ...(failure === undefined && listing.hasResources && isChosen(READ_RESOURCE) && { hasResources: true as const }),
    ...trouble,
  };
}

/** Whether a server is to be asked again what it offers. */
export function isListingDue({ config }: McpServer, row: StoredServer | undefined, now: number): boolean {
  if (row === undefined || row.url !== config.url) return true;
  return now - row.askedAt >= (row.failure === undefined ? LISTING_SERVES_MS : FAILURE_SERVES_MS);
}

/** The code of what waits for an owner: it changes with everything that the server says of it. */
export async function pendingCode(pending: readonly PendingTool[]): Promise<string> {
  const lines = pending.map(({ tool: { tool, digest } }) => `${digest} ${tool}`).sort();
  return (await shortDigest(lines.join("\n"))).slice(0, CODE_CHARS);
}

function acceptedOf(accepted: Accepted, tool: string): AcceptedTool | undefined {
  return Object.hasOwn(accepted, tool) ? accepted[tool] : undefined;
}

/** Whether the configuration takes a tool, by its name there. */
function toolChoice({ allow, deny }: McpServer["config"]["tools"]): (tool: string) => boolean {
  const [allowed, denied] = [allow?.map(nameMatcher), deny.map(nameMatcher)];
  return (tool) => !denied.some((matches) => matches(tool)) && (allowed?.some((matches) => matches(tool)) ?? true);
}

/** Names may have slashes, which are nothing special here. */
function nameMatcher(pattern: string): (tool: string) => boolean {
  const flat = (text: string) => text.replaceAll("/", ".");
  const matches = globMatcher(flat(pattern));
  return (tool) => matches(flat(tool));
}
