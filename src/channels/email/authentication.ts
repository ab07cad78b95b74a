/** A header field, its name in lower case. */
export interface HeaderField {
  key: string;
  value: string;
}

/** What is known of the way that a mail took. */
interface MailPath {
  /** The domain of From. */
  domain: string;
  /** MAIL FROM of the connection; empty for a bounce. */
  envelopeFrom: string;
  /** The server whose results count. */
  verifier: string;
}

/** The result of one method of authentication, with its properties such as `header.d`. */
interface MethodResult {
  method: string;
  result: string;
  properties: Readonly<Record<string, string>>;
}

/**
 * Whether a mail comes from the domain of its From, by the first Authentication-Results of the header: the server that
 * handed the mail over has put its own on top, and all that is below may be the sender's.
 *
 * DMARC decides. Where the domain has none, a DKIM signature of the domain or of one above it, or SPF for it, is enough.
 * The results repeat words of the sender (MAIL FROM, HELO), so that they are read by their structure, results of DKIM only
 * before those of SPF, and SPF's only for the MAIL FROM that the connection had.
 * @see https://www.rfc-editor.org/rfc/rfc8601
 */
export function isVerified(headers: readonly HeaderField[], { domain, envelopeFrom, verifier }: MailPath): boolean {
  const first = headers.find(({ key }) => key === "authentication-results");
  const results = first && readResults(first.value, verifier);
  if (results === undefined || !PLAIN_ADDRESS.test(envelopeFrom)) return false;
  const dmarc = results.filter(({ method }) => method === "dmarc");
  const isFor = (one: MethodResult) => domainOf(one.properties["header.from"] ?? domain) === domain;
  if (dmarc.some(({ result }) => result === "pass")) return dmarc.every((one) => one.result === "pass" && isFor(one));
  if (dmarc.some(({ result }) => result !== "none")) return false;
  const spfAt = results.findIndex(({ method }) => method === "spf");
  const signed = (spfAt === -1 ? results : results.slice(0, spfAt)).filter(({ method }) => method === "dkim");
  const sender = domainOf(envelopeFrom);
  return (
    signed.some(({ result, properties }) => result === "pass" && covers(signer(properties), domain)) ||
    (covers(sender, domain) && results.some((one) => isSpfPass(one, sender)))
  );
}

/** An address whose words cannot be taken for results: no quotes, no spaces, no brackets. */
const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w.-]{1,253}$/;

function signer(properties: MethodResult["properties"]): string {
  return domainOf(properties["header.d"] ?? properties["header.i"] ?? "");
}

function isSpfPass({ method, result, properties }: MethodResult, sender: string): boolean {
  return method === "spf" && result === "pass" && domainOf(properties["smtp.mailfrom"] ?? "") === sender;
}

/** Whether who holds a domain speaks for another: the same, or one below it. */
function covers(holder: string, domain: string): boolean {
  return holder.includes(".") && (domain === holder || domain.endsWith(`.${holder}`));
}

/** The domain of an address, or the domain itself. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** The results of a header field; undefined if another server wrote it, or it is not well formed. */
function readResults(value: string, verifier: string): MethodResult[] | undefined {
  const parts = splitParts(value);
  const [server = ""] = parts?.[0]?.trim().split(/\s+/) ?? [];
  if (parts === undefined || server.toLowerCase() !== verifier.toLowerCase()) return undefined;
  return parts.slice(1).flatMap((part) => {
    const [, method, result, rest = ""] = /^\s*([\w-]+)(?:\/\d+)?\s*=\s*(\w+)([\s\S]*)$/.exec(part) ?? [];
    if (method === undefined || result === undefined) return [];
    const found = rest.matchAll(/([\w-]+\.[\w-]+)\s*=\s*(?:"([^"]*)"|(\S+))/g);
    const properties = Object.fromEntries(
      Array.from(found, ([, name = "", quoted, plain = ""]) => [name.toLowerCase(), quoted ?? plain]),
    );
    return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties }];
  });
}

/** The parts between semicolons, without comments; undefined if a comment or quotation does not end. */
function splitParts(value: string): string[] | undefined {
  const parts = [""];
  const put = (text: string) => parts.push((parts.pop() ?? "") + text);
  let comments = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === "\\") at++;
    else if (isQuoted) {
      if (character === '"') isQuoted = false;
      put(character);
    } else if (character === "(") comments++;
    else if (character === ")") {
      if (comments === 0) return undefined;
      comments--;
    } else if (comments > 0) continue;
    else if (character === ";") parts.push("");
    else {
      if (character === '"') isQuoted = true;
      put(character);
    }
  }
  return comments === 0 && !isQuoted ? parts : undefined;
}
