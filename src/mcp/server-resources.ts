import type { ReadResourceResult } from "@modelcontextprotocol/client";
import type { Effect } from "../agent/tool.ts";
import { within } from "../lib/deadline.ts";
import { head } from "../lib/text.ts";
import type { ImageRef } from "../models/message.ts";
import { hostLabel, type Label } from "../security/labels.ts";
import { mcpToolName } from "../security/tool-policy.ts";
import { type KeepPorts, type Kept, resourceLine } from "./call-result.ts";
import type { Connection } from "./connect.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { failureForAgent, ServerError } from "./failure.ts";
import { timeoutMsOf } from "./mcp-deps.ts";
import { type Outcome, overConnection, type RequestLimits } from "./over-connection.ts";
import { READ_RESOURCE, type ServerState } from "./server-state.ts";

/** What reading resources needs. */
export interface ResourceDeps extends KeepPorts {
  pool: ConnectionPool;
}

/** What a server has said: words of others, before they are fenced. */
export interface ResourceWords {
  text: string;
  labels: readonly Label[];
  metadata: Record<string, string>;
  images?: ImageRef[];
  /** Set if they say why the server does not give it. */
  failed?: true;
}

/** Most contents of a resource, most entries of a list, and most characters of one. */
const MAX_CONTENTS = 20;
const MAX_LISTED = 300;
const MAX_ENTRY_CHARS = 500;
/** After so many pages of a list, or characters on them, no other page is asked for. */
const MAX_PAGES = 50;
const MAX_PAGES_CHARS = 4 * 1024 * 1024;

/** The name under which policies know the reading of a server's resources: that of a tool of it. */
export function resourceToolName(server: string): string {
  return mcpToolName(server, READ_RESOURCE);
}

/** The resources of servers. A call reads one by its own address there, or lists all. */
export class McpResources {
  readonly servers: readonly string[];
  readonly #states: ReadonlyMap<string, ServerState>;
  readonly #deps: ResourceDeps;

  constructor(states: readonly ServerState[], deps: ResourceDeps) {
    this.#states = new Map(states.map((state) => [state.name, state]));
    this.servers = [...this.#states.keys()];
    this.#deps = deps;
  }

  /** Reading tells the server what is asked for, as a call of a tool does. */
  effects({ server, uri }: { server: string; uri: string }): readonly Effect[] {
    const state = this.#states.get(server);
    if (state === undefined || uri === "") return [];
    const { url, trusted } = state.config;
    return [{ kind: "call", tool: resourceToolName(server), server, url, isTrusted: trusted, shown: uri }];
  }

  /** @throws Error if it cannot be read, or the signal's abort reason */
  async read({ server, uri }: { server: string; uri: string }, call: { signal: AbortSignal }): Promise<ResourceWords> {
    const state = this.#state(server);
    const outcome = await this.#ask(state, call, (client, limits) => client.readResource({ uri }, limits));
    return outcome.kind === "refused" ? refused(state, outcome.words) : this.#words(state, outcome.result);
  }

  /** @throws Error if the server does not say, or the signal's abort reason */
  async list(server: string, call: { signal: AbortSignal }): Promise<ResourceWords> {
    const state = this.#state(server);
    const outcome = await this.#ask(state, call, (client, { signal, ...limits }) =>
      within(limits.timeout, async (late) => {
        const options = { ...limits, signal: AbortSignal.any([signal, late]) };
        const resources = await firstPages(async (params) => {
          const page = await client.request({ method: "resources/list", params }, options);
          return { ...page, entries: page.resources.map((one) => entryLine(server, one.uri, one)) };
        });
        const templates = await firstPages(async (params) => {
          const page = await client.request({ method: "resources/templates/list", params }, options);
          return { ...page, entries: page.resourceTemplates.map((one) => entryLine(server, one.uriTemplate, one)) };
          // A server need not have any.
        }).catch(() => ({ entries: [], hasMore: false }));
        return {
          entries: [...resources.entries, ...templates.entries],
          hasMore: resources.hasMore || templates.hasMore,
        };
      }),
    );
    if (outcome.kind === "refused") return refused(state, outcome.words);
    const { entries, hasMore } = outcome.result;
    const lines = entries.slice(0, MAX_LISTED);
    if (hasMore || entries.length > MAX_LISTED) lines.push(`[The first ${lines.length} resources: there are more.]`);
    return { text: lines.length === 0 ? "(It lists no resources.)" : lines.join("\n"), ...origin(state) };
  }

  async #words(state: ServerState, { contents }: ReadResourceResult): Promise<ResourceWords> {
    const kept: Kept = { images: [], files: 0 };
    const { images } = kept;
    const parts: string[] = [];
    const [only, ...others] = contents;
    if (only !== undefined && "text" in only && others.length === 0) parts.push(only.text);
    else {
      const place = { ...this.#deps, host: state.host };
      for (const content of contents.slice(0, MAX_CONTENTS)) parts.push(await resourceLine(content, kept, place));
    }
    if (contents.length > MAX_CONTENTS) parts.push(`[The first ${MAX_CONTENTS} of ${contents.length} parts.]`);
    return { text: parts.join("\n"), ...origin(state), ...(images.length > 0 && { images }) };
  }

  async #ask<Result>(
    state: ServerState,
    { signal }: { signal: AbortSignal },
    request: (client: Connection["client"], limits: RequestLimits) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const timeoutMs = timeoutMsOf(state);
    try {
      return await this.#deps.pool.use(state, signal, (connection) =>
        overConnection(connection, { signal, timeoutMs }, request),
      );
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      throw new Error(failureForAgent(error.failure, state.name));
    }
  }

  #state(server: string): ServerState {
    const state = this.#states.get(server);
    if (state === undefined) throw new Error(`There is no MCP server '${server}' here.`);
    return state;
  }
}

/** Asks for the pages of a list one after another, by cursor, until there is enough to show. */
async function firstPages(
  ask: (params: { cursor?: string }) => Promise<{ entries: string[]; nextCursor?: string | undefined }>,
): Promise<{ entries: string[]; hasMore: boolean }> {
  const entries: string[] = [];
  let chars = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && entries.length < MAX_LISTED && chars < MAX_PAGES_CHARS; pages += 1) {
    const page = await ask(cursor === undefined ? {} : { cursor });
    for (const entry of page.entries) entries.push(entry);
    chars += JSON.stringify(page).length;
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return { entries, hasMore: cursor !== undefined };
}

function refused(state: ServerState, words: string): ResourceWords {
  return { text: words, ...origin(state), failed: true };
}

function origin({ name, host }: ServerState): Pick<ResourceWords, "labels" | "metadata"> {
  return { labels: [hostLabel(host)], metadata: { "MCP server": name } };
}

function entryLine(server: string, uri: string, about: { name: string; description?: string | undefined }): string {
  const words = [about.name, about.description].filter((part) => part).join(": ");
  return head(`mcp://${server}/${uri}  ${words}`.replace(/\s*[\r\n]+\s*/g, " "), MAX_ENTRY_CHARS);
}
