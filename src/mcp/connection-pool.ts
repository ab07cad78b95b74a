import { type Connection, connect } from "./connect.ts";
import { failureOf, ServerError } from "./failure.ts";
import { listServerLater } from "./list-server.ts";
import { type McpDeps, timeoutMsOf } from "./mcp-deps.ts";
import type { ServerState } from "./server-state.ts";

/**
 * The connections of one turn: opened at the first call of a server, used by one call at a time, and closed when the turn
 * ends. What a server says of changes while one is open is followed.
 */
export class ConnectionPool {
  readonly #deps: McpDeps;
  readonly #idle = new Map<string, Connection[]>();
  #isClosed = false;

  constructor(deps: McpDeps) {
    this.#deps = deps;
  }

  /**
   * Does work with a connection that nobody else uses. After a failure of the connection the server is asked in the
   * background whether it can be used at all.
   * @throws ServerError, what `work` throws, or the signal's abort reason
   */
  async use<Result>(
    server: ServerState,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const connection = this.#idle.get(server.name)?.pop() ?? (await this.#open(server, signal));
    try {
      const result = await work(connection);
      this.#release(server, connection);
      return result;
    } catch (error) {
      if (error instanceof ServerError || signal.aborted) this.#discard(server, connection);
      else this.#release(server, connection);
      throw error;
    }
  }

  /** Closes all connections, in the background. */
  close(): void {
    this.#isClosed = true;
    for (const connection of [...this.#idle.values()].flat()) this.#deps.waitUntil(connection.close());
    this.#idle.clear();
  }

  async #open(server: ServerState, signal: AbortSignal): Promise<Connection> {
    const timeoutMs = timeoutMsOf(server);
    const options = { timeoutMs, signal, onToolsChanged: () => listServerLater(server, this.#deps) };
    try {
      return await connect(server, this.#deps, { ...options, known: server.protocol });
    } catch (error) {
      signal.throwIfAborted();
      listServerLater(server, this.#deps);
      // It may speak another revision since it was listed.
      if (failureOf(error, timeoutMs).kind !== "broken" || server.protocol === undefined) throw error;
      return connect(server, this.#deps, options);
    }
  }

  #release(server: ServerState, connection: Connection): void {
    connection.onStreamEnd = undefined;
    if (this.#isClosed) this.#deps.waitUntil(connection.close());
    else this.#idle.set(server.name, [...(this.#idle.get(server.name) ?? []), connection]);
  }

  #discard(server: ServerState, connection: Connection): void {
    this.#deps.waitUntil(connection.close());
    listServerLater(server, this.#deps);
  }
}
