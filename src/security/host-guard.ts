import { isAddress, privateKindOf } from "./address-kind.ts";
import { isBadPort } from "./bad-ports.ts";
import { EgressError } from "./egress-error.ts";
import type { Lookup } from "./name-lookup.ts";
import { isPrivateName } from "./private-name.ts";

/** What decides whether a request may go to a host. */
export interface HostRules {
  /** `host:port` that may be reached although they are private. */
  allowPrivate: readonly string[];
  /**
   * The addresses of a name. Absent on Cloudflare: what a Worker asks for there leaves for the public internet, and private
   * networks are reached through bindings only. On a machine of one's own a public name may well lead back into it.
   */
  lookup?: Lookup | undefined;
}

const ASK_OWNER = "An owner can let it through with security.egress.allowPrivate.";

/**
 * Parses the address of a request and refuses it unless it may be asked for.
 *
 * A name is looked up before the request, and `fetch` looks it up again: a name whose owner gives another answer each time can
 * still lead elsewhere, and only a network that lets nothing through to private addresses stops that.
 * @throws EgressError, or what the signal was aborted with
 */
export async function guardedUrl(address: string, rules: HostRules, signal: AbortSignal): Promise<URL> {
  const url = plainUrl(address);
  const port = portOf(url);
  if (isBadPort(port)) throw refused(`Port ${port} is never asked for.`, "Use a port that web servers use.");
  if (rules.allowPrivate.some((entry) => hostAndPort(entry) === `${url.hostname}:${port}`)) return url;
  const { hostname } = url;
  if (isAddress(hostname)) {
    const kind = privateKindOf(hostname.replace(/[[\]]/g, ""));
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
  const kind = addresses.map(privateKindOf).find((found) => found !== undefined);
  if (kind !== undefined) throw refused(`'${hostname}' leads to an address that is ${kind}.`, ASK_OWNER);
  return url;
}

/** A `host:port` as URLs write its parts; undefined where it is none. */
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

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function refused(message: string, hint: string): EgressError {
  return new EgressError("refused", message, hint);
}
