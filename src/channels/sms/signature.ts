import { fromBase64 } from "../../lib/base64.ts";
import { digestOf } from "../../lib/digest.ts";
import { isHmac } from "../../security/hmac.ts";
import type { SmsContext } from "./account.ts";

/**
 * Whether Twilio has signed a request: the HMAC of the address that it called, followed by the sorted fields of a form.
 * The address of any other body has its digest as `bodySHA256`.
 * @see https://www.twilio.com/docs/usage/security#validating-requests
 */
export async function isSignedByTwilio(
  request: Request,
  body: Uint8Array,
  authToken: string,
  context: SmsContext,
): Promise<boolean> {
  const signature = fromBase64(request.headers.get("X-Twilio-Signature") ?? "");
  if (signature === undefined) return false;
  const digest = new URL(request.url).searchParams.get("bodySHA256");
  if (digest !== null && digest.toLowerCase() !== (await digestOf("SHA-256", body))) return false;
  const fields = digest === null ? sortedFields(new URLSearchParams(new TextDecoder().decode(body))) : "";
  for (const address of calledAddresses(new URL(request.url), context)) {
    if (await isHmac("SHA-1", authToken, address + fields, signature)) return true;
  }
  return false;
}

/** Names and values without anything in between; a value that a field has twice counts once. Reads each field once. */
function sortedFields(fields: URLSearchParams): string {
  const valuesOf = new Map<string, Set<string>>();
  for (const [name, value] of fields) valuesOf.set(name, (valuesOf.get(name) ?? new Set()).add(value));
  return [...valuesOf.keys()]
    .sort()
    .flatMap((name) => [...(valuesOf.get(name) ?? [])].sort().map((value) => name + value))
    .join("");
}

/**
 * The forms in which Twilio may have signed the address. Its query is always the request's; the rest is what the account
 * or the configuration names, else what the Worker sees, on either side of a proxy that ends TLS.
 */
function calledAddresses(seen: URL, { account, publicUrl }: SmsContext): string[] {
  const own = `${seen.origin}${seen.pathname}`;
  const named =
    account.webhookUrl === undefined
      ? [...(publicUrl === undefined ? [] : [`${publicUrl}${seen.pathname}`]), own, own.replace(/^http:/, "https:")]
      : [account.webhookUrl];
  const queries = new Set([seen.search, encodedQuery(seen)]);
  const forms = named.flatMap((address) => withAndWithoutPort(new URL(address)));
  return [...new Set(forms)].flatMap((form) => [...queries].map((query) => form + query));
}

/** Twilio signs the address now with the usual port and now without any, as its own validators know. */
function withAndWithoutPort({ protocol, hostname, port, pathname }: URL): string[] {
  const usual = protocol === "https:" ? "443" : "80";
  return [`${protocol}//${hostname}${pathname}`, `${protocol}//${hostname}:${port || usual}${pathname}`];
}

/** A query with every special character escaped, which a URL leaves as it is. */
function encodedQuery({ search, searchParams }: URL): string {
  const pairs = Array.from(searchParams, (pair) => pair.map(encodeURIComponent).join("="));
  return search === "" ? "" : `?${pairs.join("&")}`;
}
