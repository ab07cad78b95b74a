import { createServer } from "node:net";

const HIGHEST = 65_535;

/** Whether a server can listen on a port of this machine; if not, why. */
export type PortState = "free" | "taken" | "forbidden";

/** Tries a port of the loopback interface. */
export async function probePort(port: number): Promise<PortState> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("taken");
      else if (error.code === "EACCES") resolve("forbidden");
      else reject(error);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve("free")));
  });
}

/** The first free port above another one. */
export async function freePortAbove(port: number): Promise<number> {
  for (let candidate = port + 1; candidate <= HIGHEST; candidate++) {
    if ((await probePort(candidate)) === "free") return candidate;
  }
  return freePortAbove(1024);
}

/** Parses a port number; undefined where the text is not one. */
export function parsePort(text: string): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port <= HIGHEST ? port : undefined;
}
