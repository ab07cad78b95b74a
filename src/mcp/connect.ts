import type {
  Client,
  ElicitRequestParams,
  ElicitResult,
  PriorDiscovery,
  Transport,
} from "@modelcontextprotocol/client";
import type { McpServer } from "../config/mcp-schema.ts";
import { deadline } from "../lib/deadline.ts";
import type { JsonObject } from "../lib/json.ts";
import { VERSION } from "../lib/version.ts";
import type { StreamingFetch } from "../security/streaming-fetch.ts";
import { type AuthorizedFetchDeps, authorizedFetch } from "./authorized-fetch.ts";
import { failureOf, ServerError } from "./failure.ts";
import { watchStreams } from "./watch-streams.ts";

/** How a server is spoken to, so that the next connection need not find out. */
export interface KnownProtocol {
  transport: "http" | "sse";
  /** Set if it speaks a revision without discovery. */
  isLegacy?: true;
  /** What it said when it was discovered. */
  discovery?: JsonObject;
}

/** What connecting needs. */
export type ConnectDeps = AuthorizedFetchDeps;

/** An open connection. Only one call at a time uses it. */
export interface Connection {
  client: Client;
  protocol: KnownProtocol;
  /** Called when an answer that came as a stream has ended. */
  onStreamEnd: (() => void) | undefined;
  /**
   * Answers what the server asks during a request; without it the server gets no answer. The id is there where a request may
   * be handled twice.
   */
  onElicitation: ((asked: ElicitRequestParams, id: string | number | undefined) => ElicitResult) | undefined;
  /** Ends the session at the server, as far as it has one. Never rejects. */
  close(): Promise<void>;
}

/** How to connect. */
export interface ConnectOptions {
  timeoutMs: number;
  /** How the server was spoken to before. */
  known?: KnownProtocol | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the server says that its list of tools has changed. */
  onToolsChanged?: (() => void) | undefined;
}

/** How long the end of a session may take. */
const CLOSE_MS = 3000;
/** Most pages of a list. */
const MAX_PAGES = 20;

/**
 * Connects to a server: by Streamable HTTP, in the revision that it speaks, or by the older HTTP with SSE where it refuses
 * that.
 * @throws ServerError
 */
export async function connect(server: McpServer, deps: ConnectDeps, options: ConnectOptions): Promise<Connection> {
  const clock = deadline(options.timeoutMs);
  const signal = options.signal === undefined ? clock.signal : AbortSignal.any([clock.signal, options.signal]);
  try {
    if (options.known?.transport === "sse") return await open("sse", server, deps, { ...options, signal });
    try {
      return await open("http", server, deps, { ...options, signal });
    } catch (error) {
      if (!isOtherTransport(error)) throw error;
      const { known: _, ...anew } = options;
      return await open("sse", server, deps, { ...anew, signal }).catch(() => {
        throw error;
      });
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (clock.signal.aborted) {
      throw new ServerError({ kind: "slow", message: `It did not answer within ${options.timeoutMs} ms.` });
    }
    throw new ServerError(failureOf(error, options.timeoutMs));
  } finally {
    clock.done();
  }
}

/** Whether a server of the older transport may answer so to a POST. */
function isOtherTransport(error: unknown): boolean {
  const status = (error as { data?: { status?: unknown } } | undefined)?.data?.status;
  return typeof status === "number" && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

async function open(
  kind: KnownProtocol["transport"],
  server: McpServer,
  deps: ConnectDeps,
  { known, signal, timeoutMs, onToolsChanged }: ConnectOptions,
): Promise<Connection> {
  const sdk = await import("@modelcontextprotocol/client");
  const { config } = server;
  const headers = headersOf(server, deps);
  const authorized = config.oauth === false ? deps.fetch : authorizedFetch(deps.fetch, server, deps);
  // The SDK does not pass on with what a request has failed.
  let fault: unknown;
  const reach: StreamingFetch = async (url, init) => {
    try {
      return await authorized(url, init);
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  const fetch = watchStreams(reach, () => connection.onStreamEnd?.());
  const transport = openTransport(sdk, kind, { url: new URL(config.url), fetch, headers });
  const client = new sdk.Client(
    { name: "isopod", version: VERSION },
    {
      versionNegotiation: { mode: kind === "http" ? "auto" : "legacy" },
      listMaxPages: MAX_PAGES,
      // Answers are sent with the call's next round, or while its connection is open: never later.
      capabilities: { elicitation: { form: {} } },
      ...(onToolsChanged && {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      }),
    },
  );
  const connection: Connection = {
    client,
    protocol: { transport: kind },
    onStreamEnd: undefined,
    onElicitation: undefined,
    close: () => closeQuietly(client, transport),
  };
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
    // A request over the older transport may be handled twice, with the same id. In the newer revision ids are the
    // server's names of its questions: another question may have the same.
    const id = kind === "sse" ? mcpReq.id : undefined;
    return connection.onElicitation?.(params, id) ?? { action: "decline" };
  });
  // What it reports besides is of no use: a call that fails rejects.
  client.onerror = () => undefined;
  const close = () => void closeQuietly(client, transport);
  signal?.addEventListener("abort", close, { once: true });
  try {
    signal?.throwIfAborted();
    await client.connect(transport, { timeout: timeoutMs, ...(signal && { signal }), ...priorOf(known) });
  } catch (error) {
    close();
    throw fault ?? error;
  } finally {
    signal?.removeEventListener("abort", close);
  }
  if (onToolsChanged !== undefined && known?.discovery !== undefined) listenForChanges(client);
  const discovery = client.getDiscoverResult();
  connection.protocol = {
    transport: kind,
    ...(discovery === undefined ? { isLegacy: true } : { discovery: JSON.parse(JSON.stringify(discovery)) }),
  };
  return connection;
}

/** Where the revision is known before, the SDK does not open the stream on which such a server says what changes. */
function listenForChanges(client: Client): void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  // The list is asked for again in a while where the server does not let it.
  void client.listen({ toolsListChanged: true }).catch(() => undefined);
}

function priorOf(known: KnownProtocol | undefined): { prior?: PriorDiscovery } {
  if (known?.isLegacy) return { prior: { kind: "legacy" } };
  if (known?.discovery === undefined) return {};
  return { prior: { kind: "modern", discover: known.discovery } as unknown as PriorDiscovery };
}

interface TransportParts {
  url: URL;
  fetch: StreamingFetch;
  headers: Record<string, string>;
}

function openTransport(
  sdk: typeof import("@modelcontextprotocol/client"),
  kind: KnownProtocol["transport"],
  { url, fetch, headers }: TransportParts,
): Transport {
  const shared = { fetch, requestInit: { headers } };
  if (kind === "sse") return new sdk.SSEClientTransport(url, shared);
  const reconnectionOptions = {
    initialReconnectionDelay: 500,
    maxReconnectionDelay: 5000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: 2,
  };
  return new sdk.StreamableHTTPClientTransport(url, { ...shared, reconnectionOptions });
}

/** The headers of the configuration, by lower-case name. @throws ServerError if a secret is not set */
function headersOf({ name, config }: McpServer, { secret }: ConnectDeps): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config.headers).map(([header, value]) => {
      const text = typeof value === "string" ? value : secret(value.id);
      if (text !== undefined) return [header.toLowerCase(), text];
      const where = `mcp.servers.${name}.headers.${header}`;
      const id = typeof value === "string" ? "" : value.id;
      throw new ServerError({ kind: "misconfigured", message: `The secret ${id} of ${where} is not set.` });
    }),
  );
}

async function closeQuietly(client: Client, transport: Transport): Promise<void> {
  const clock = deadline(CLOSE_MS);
  const late = new Promise<void>((resolve) => clock.signal.addEventListener("abort", () => resolve(), { once: true }));
  try {
    const terminate = (transport as { terminateSession?(): Promise<void> }).terminateSession;
    await Promise.race([terminate?.call(transport).catch(() => undefined), late]);
    await Promise.race([client.close().catch(() => undefined), late]);
  } finally {
    clock.done();
  }
}
