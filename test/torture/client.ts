import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 60;
const ATTEMPT_MS = 15_000;

/** Where Isopod is, and the token for it. */
export interface Client {
  url: string;
  token: string;
}

/** An answer that another try does not change. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, path: string, body: string) {
    super(`${path} answered ${status}: ${body.slice(0, 300)}`);
    this.name = "Refused";
    this.status = status;
  }
}

/** What is sent; `abandonAfterMs` hangs up before the answer is there. */
export interface Sent {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  abandonAfterMs?: number;
}

/**
 * Asks until there is an answer, over any number of deaths of the server.
 * @throws Refused for an answer that is final and no success
 */
export async function ask(client: Client, path: string, sent: Sent, until: AbortSignal): Promise<unknown> {
  for (;;) {
    until.throwIfAborted();
    const answer = await attempt(client, path, sent);
    if (answer?.ok) return answer.body;
    if (answer !== undefined && (answer.isFinal || (answer.status < 500 && answer.status !== 429))) {
      throw new Refused(answer.status, path, JSON.stringify(answer.body));
    }
    await sleep(RETRY_MS);
  }
}

interface Answer {
  ok: boolean;
  status: number;
  body: unknown;
  /** Whether it says itself that another try does not change it, as OpenAI's API does of a run that has failed. */
  isFinal: boolean;
}

/** Asks once; undefined where no answer came. */
export async function attempt(client: Client, path: string, sent: Sent): Promise<Answer | undefined> {
  const { method = "GET", body, headers, abandonAfterMs = ATTEMPT_MS } = sent;
  try {
    const response = await fetch(client.url + path, {
      method,
      headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(abandonAfterMs),
    });
    const isFinal = response.headers.get("X-Should-Retry") === "false";
    return { ok: response.ok, status: response.status, body: readable(await response.text()), isFinal };
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  }
}

/** Whether an error says that a connection was refused, broke or was given up. */
export function isLost(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof DOMException && ["AbortError", "TimeoutError"].includes(error.name))
  );
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
