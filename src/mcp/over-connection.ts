import type { Connection } from "./connect.ts";
import { failureOf, ServerError, serverWords } from "./failure.ts";

/** What a request came to: a result, or that the server refused it, in its words. */
export type Outcome<Result> = { kind: "result"; result: Result } | { kind: "refused"; words: string };

/** How long a request may take, as the SDK takes it. */
export interface RequestLimits {
  signal: AbortSignal;
  timeout: number;
  maxTotalTimeout: number;
}

/**
 * Makes a request over a connection that no other caller uses at the same time.
 * @throws ServerError if the connection fails or the time is up, or the signal's abort reason
 */
export async function overConnection<Result>(
  connection: Connection,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  request: (client: Connection["client"], limits: RequestLimits) => Promise<Result>,
): Promise<Outcome<Result>> {
  const { ProtocolError } = await import("@modelcontextprotocol/client");
  const broken = new AbortController();
  connection.onStreamEnd = () => broken.abort("broken");
  const limits = {
    signal: AbortSignal.any([signal, broken.signal]),
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
  };
  try {
    return { kind: "result", result: await request(connection.client, limits) };
  } catch (error) {
    signal.throwIfAborted();
    if (broken.signal.aborted) throw new ServerError({ kind: "away", message: "The connection broke off." });
    if (error instanceof ProtocolError) return { kind: "refused", words: serverWords(error) };
    throw new ServerError(failureOf(error, timeoutMs));
  } finally {
    connection.onStreamEnd = undefined;
  }
}
