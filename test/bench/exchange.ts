import { type Agent, type OutgoingHttpHeaders, request } from "node:http";

const TIMEOUT_MS = 20_000;

/** What is sent: a GET, or a POST of JSON. */
export interface Outgoing {
  headers?: OutgoingHttpHeaders;
  body?: unknown;
}

/** Milliseconds since the epoch, with fractions; comparable between processes of one machine. */
export function instant(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Sends one request over a connection that is kept, and reads its answer to the end.
 * @param onChunk is given each piece of the body as it arrives
 * @throws Error for every status but 2xx
 */
export function exchange(
  agent: Agent,
  url: string,
  { headers, body }: Outgoing,
  onChunk: (text: string) => void,
): Promise<void> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const method = payload === undefined ? "GET" : "POST";
  const type = payload === undefined ? {} : { "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { ...type, ...headers }, timeout: TIMEOUT_MS }, (response) => {
      const status = response.statusCode ?? 0;
      let refusal = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        if (status >= 200 && status < 300) onChunk(text);
        else refusal += text;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (status >= 200 && status < 300) resolve();
        else reject(new Error(`${method} ${url} answered ${status}: ${refusal}`));
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${url} took more than ${TIMEOUT_MS} ms.`)));
    sent.on("error", reject);
    sent.end(payload);
  });
}
