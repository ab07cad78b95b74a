import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A server on loopback. */
export interface LocalServer {
  url: string;
  close(): Promise<void>;
  /** Lets the process end while the server listens and connections are open. */
  unref(): void;
}

/**
 * Starts an HTTP server on loopback, on a free port unless one is named. It never closes an idle connection: a client on a
 * busy machine would send its next request into the close, and a POST that this happens to cannot be sent again.
 * @param upgrade takes the connections of WebSockets
 */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: 0 }, handle);
  if (upgrade) server.on("upgrade", upgrade);
  // Of those of WebSockets the server knows nothing, and yet it waits for them.
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    unref() {
      server.unref();
      server.on("connection", (socket) => socket.unref());
    },
  };
}
