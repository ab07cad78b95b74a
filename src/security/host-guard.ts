import { isAddress, privateAddressKind } from "./address-kind.ts";
import { EgressError } from "./egress-error.ts";
import type { NameLookup } from "./name-lookup.ts";

/** The rules by which a host may be requested. */
export interface HostRules {
  /** Private `host:port` pairs that are allowed. */
  allowPrivate: readonly string[];
  /**
   * Resolves a name. Absent on Cloudflare, whose egress reaches the public internet alone (private networks are reached
   * through bindings). On a self-hosted machine a public name may resolve to a private address.
   */
  lookup?: NameLookup | undefined;
}

const ASK_OWNER = "An owner can let it through with security.egress.allowPrivate.";

/**
 * Parses a request's address and refuses one that is not allowed.
 *
 * A name is resolved before the request, and `fetch` resolves it again: a name server that changes its answers (DNS
 * rebinding) can still lead elsewhere; only a network that blocks private addresses stops that.
 * @throws EgressError, or the signal's abort reason
 */
export async function guardedUrl(address: string, rules: HostRules, signal: AbortSignal): Promise<URL> {
  const url = plainUrl(address);
  const port = effectivePort(url);
  if (isBadPort(port)) throw refused(`Port ${port} is never asked for.`, "Use a port that web servers use.");
  if (rules.allowPrivate.some((entry) => hostAndPort(entry) === `${url.hostname}:${port}`)) return url;
  const { hostname } = url;
  if (isAddress(hostname)) {
    const kind = privateAddressKind(hostname.replace(/[[\]]/g, ""));
    if (kind !== undefined) throw refused(`${hostname} is not on the public internet: it is ${kind}.`, ASK_OWNER);
    return url;
  }
  if (isPrivateName(hostname)) throw refused(`'${hostname}' is a name of a private network.`, ASK_OWNER);
  if (rules.lookup === undefined) return url;
  const addresses = await rules.lookup(hostname.replace(/\.$/, ""), signal);
  if (addresses === undefined) {
    const message = `'${hostname}' could not be looked up: the name server did not answer.`;
    throw new EgressError("unresolved", message, "Check security.egress.resolverUrl, or try again later.");
  }
  if (addresses.length === 0) {
    throw new EgressError("unresolved", `'${hostname}' has no address.`, "Look for a mistake in the name.");
  }
  const kind = addresses.map(privateAddressKind).find((found) => found !== undefined);
  if (kind !== undefined) throw refused(`'${hostname}' leads to an address that is ${kind}.`, ASK_OWNER);
  return url;
}

/** A `host:port` normalized as in URLs; undefined if it is invalid. */
export function hostAndPort(entry: string): string | undefined {
  const [, host, port] = /^([^/?#@\\]+):(\d{1,5})$/.exec(entry) ?? [];
  if (host === undefined || Number(port) > 65_535 || !URL.canParse(`http://${host}/`)) return undefined;
  return `${new URL(`http://${host}/`).hostname}:${Number(port)}`;
}

function plainUrl(address: string): URL {
  if (!URL.canParse(address)) {
    throw new EgressError("bad_request", "That is no web address.", "Write it whole: https://host/path.");
  }
  const url = new URL(address);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new EgressError("bad_request", `'${url.protocol}' is not asked for.`, "Use https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    const hint = "Send them in a header, such as Authorization.";
    throw new EgressError("bad_request", "A web address with a name or password in it is not asked for.", hint);
  }
  return url;
}

function effectivePort({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function refused(message: string, hint: string): EgressError {
  return new EgressError("refused", message, hint);
}

/**
 * Suffixes that never belong to the public internet: RFC 6761, 6762, 8375 and 7686, ICANN's `internal`, and those that
 * ICANN withholds because private networks use them.
 */
const PRIVATE_ENDINGS = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "onion",
  "test",
  "invalid",
  "localdomain",
  "corp",
  "home",
  "lan",
  "intranet",
  "private",
];

/** Whether a hostname belongs to a private network: a single label, or a private suffix. A trailing dot is ignored. */
function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (name.split(".").includes("") || !name.includes(".")) return true;
  return PRIVATE_ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}

/** The ports that the Fetch standard blocks, because the services there may take a request for a command. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether the Fetch standard blocks a port. @see https://fetch.spec.whatwg.org/#port-blocking */
function isBadPort(port: number): boolean {
  return BAD_PORTS.has(port);
}
