import { head } from "../lib/text.ts";
import { EgressError } from "../security/egress-error.ts";
import { neutralizeText } from "../security/external-content.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";

/**
 * Why a server cannot be used: it refuses the credentials; its owner has to sign in; the configuration or the guard is in the way; it does not
 * answer in time or at all; or what it answers is not MCP.
 */
export interface ServerFailure {
  kind: "unauthorized" | "signed_out" | "misconfigured" | "slow" | "away" | "broken";
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

/** The failure of what does not answer as it should. */
export function broken(message: string): ServerError {
  return new ServerError({ kind: "broken", message });
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

/**
 * What an agent is told of a failure. The message may have words of the server in it, which no fence keeps from a model.
 */
export function failureForAgent({ kind }: ServerFailure, server: string): string {
  return `The MCP server '${server}' ${WHAT[kind]} ${ADVICE[kind] ?? LATER}`;
}

const WHAT: Record<ServerFailure["kind"], string> = {
  unauthorized: "refuses the credentials.",
  signed_out: "cannot be used before its owner signs in.",
  misconfigured: "cannot be used as it is configured.",
  slow: "did not answer in time.",
  away: "cannot be reached, or the connection broke off.",
  broken: "did not answer as MCP servers do.",
};

const ASK_OWNER = "Tell your owner, who can see with /mcp what is wrong.";
const LATER = "The call may or may not have taken effect. Go on without this server, or try again later.";
const ADVICE: { [kind in ServerFailure["kind"]]?: string } = {
  unauthorized: ASK_OWNER,
  signed_out: ASK_OWNER,
  misconfigured: ASK_OWNER,
};

/** The path of the page where an owner signs in at a server. */
export const SIGN_IN_PATH = "/mcp/sign-in";

/** What the owner can do about a failure. @param origin Isopod's own address, if it is known */
export function fixFor({ kind }: ServerFailure, server: string, origin: string | undefined): string {
  const field = `mcp.servers.${server}`;
  switch (kind) {
    case "unauthorized":
      return `Check ${field}.headers: an Authorization header needs its scheme too, such as "Bearer …". Where it wants a sign-in, set ${field}.oauth to true.`;
    case "signed_out":
      return origin === undefined
        ? `Sign in at Isopod's address, with this path: ${SIGN_IN_PATH}/${server}`
        : `Sign in: ${origin}${SIGN_IN_PATH}/${server}`;
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
