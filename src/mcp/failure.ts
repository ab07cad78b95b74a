import { head } from "../lib/text.ts";
import { EgressError } from "../security/egress-error.ts";
import { neutralizeText } from "../security/external-content.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";

/**
 * Why a server cannot be used: it refuses the credentials; the configuration or the guard is in the way; it does not
 * answer in time or at all; or what it answers is not MCP.
 */
export interface ServerFailure {
  kind: "unauthorized" | "misconfigured" | "slow" | "away" | "broken";
  /** What is wrong, for the owner. It may have words of the server in it. */
  message: string;
}

/** What a connection or call failed with. */
export class ServerError extends Error {
  readonly failure: ServerFailure;

  constructor(failure: ServerFailure) {
    super(failure.message);
    this.name = "ServerError";
    this.failure = failure;
  }
}

const MAX_CHARS = 300;

/** The failure behind anything that a connection or call has thrown. */
export function failureOf(thrown: unknown, timeoutMs: number): ServerFailure {
  if (thrown instanceof ServerError) return thrown.failure;
  if (thrown instanceof EgressError) {
    const { code, message, hint } = thrown;
    return { kind: EGRESS_KINDS[code] ?? "misconfigured", message: `${message} ${hint}` };
  }
  const { name = "", code = "", status } = thrown instanceof Error ? details(thrown) : {};
  if (name === "UnauthorizedError" || status === 401) {
    return { kind: "unauthorized", message: "It refuses the request's credentials, or asks for some (401)." };
  }
  if (status === 403) return { kind: "unauthorized", message: "It does not let this agent in (403)." };
  if (status !== undefined) return { kind: status >= 500 ? "away" : "broken", message: `It answered with ${status}.` };
  if (code === "REQUEST_TIMEOUT" || name === "TimeoutError") {
    return { kind: "slow", message: `It did not answer within ${timeoutMs} ms.` };
  }
  return { kind: "broken", message: `It does not answer as MCP servers do: ${serverWords(thrown)}` };
}

const EGRESS_KINDS: { [code in EgressError["code"]]?: ServerFailure["kind"] } = {
  timed_out: "slow",
  unreachable: "away",
  unresolved: "away",
  too_large: "broken",
};

/** What the owner can do about a failure. */
export function fixFor({ kind }: ServerFailure, server: string): string {
  const field = `mcp.servers.${server}`;
  switch (kind) {
    case "unauthorized":
      return `Check ${field}.headers: an Authorization header needs its scheme too, such as "Bearer …".`;
    case "misconfigured":
      return `Correct ${field}.`;
    case "slow":
      return `Try again later, or raise ${field}.timeoutSeconds.`;
    case "away":
      return `Check that it runs at ${field}.url.`;
    case "broken":
      return `Check that ${field}.url is the address of its MCP endpoint, which often ends with /mcp.`;
  }
}

/** What an error of the SDK says of itself; its classes are known only where the SDK is loaded. */
function details(error: Error): { name: string; code?: string; status?: number } {
  const { code, data } = error as { code?: unknown; data?: { status?: unknown } };
  return {
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(typeof data?.status === "number" && { status: data.status }),
  };
}

/** Words of a server on one line, bounded, without what a model could take for structure. */
export function serverWords(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return head(neutralizeText(sanitizeForPrompt(text)), MAX_CHARS);
}
