import { base32 } from "../lib/ids.ts";
import { matchesHost } from "./policy.ts";

/** A secret of a skill as the configuration gives it. */
export interface SkillSecret {
  /** The variable that commands see. */
  variable: string;
  value: string;
  /** The skill's key in `skills.entries`. */
  skill: string;
  /** The hosts that it may be sent to; absent if the entry names none. */
  hosts?: readonly string[];
}

/** A request that is about to be sent. */
export interface BrokeredRequest {
  url: URL;
  headers: Headers;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
}

const PREFIX = "isopod_secret_";
const PLACEHOLDER = /isopod_secret_\w+?_[0-9a-z]{26}/g;

/**
 * Keeps the values of skills' secrets out of commands: they see placeholders, and a value is put into a request only
 * when it leaves for a host that it may be sent to. One broker serves one turn; its placeholders are of no use later.
 */
export class SecretBroker {
  readonly #secrets: ReadonlyMap<string, SkillSecret>;
  /** The placeholders by variable, for the environment of commands. */
  readonly env: Readonly<Record<string, string>>;

  constructor(secrets: readonly SkillSecret[]) {
    const known = new Map<string, SkillSecret>();
    for (const secret of secrets) {
      const nonce = base32(crypto.getRandomValues(new Uint8Array(16)));
      known.set(`${PREFIX}${secret.variable}_${nonce}`, secret);
    }
    this.#secrets = known;
    this.env = Object.fromEntries([...known].map(([placeholder, { variable }]) => [variable, placeholder]));
  }

  /** The variables of a script that hold secrets which may not be sent to a host unless an owner says so. */
  unnamedIn(script: string, host: string, granted: (skill: string, host: string) => boolean): SkillSecret[] {
    return [...this.#secrets.values()].filter(
      ({ variable, hosts, skill }) =>
        hosts === undefined && !granted(skill, host) && new RegExp(String.raw`\b${variable}\b`).test(script),
    );
  }

  /**
   * The request with the values of its placeholders. Basic authentication is decoded and encoded again.
   * @param mayHave whether a secret without hosts of its own may go to a host
   * @throws Error that names variable, skill, host and the fix if a placeholder may not be replaced
   */
  reveal(request: BrokeredRequest, mayHave: (skill: string, host: string) => boolean): BrokeredRequest {
    if (this.#secrets.size === 0) return request;
    const { host } = request.url;
    const put: Put = (text, encode = (value) => value) =>
      text.replace(PLACEHOLDER, (placeholder) => {
        const secret = this.#secrets.get(placeholder);
        if (secret === undefined) return placeholder;
        const { hosts, skill, value } = secret;
        const isAllowed = hosts === undefined ? mayHave(skill, host) : matchesHost(hosts, host);
        if (!isAllowed) throw new Error(refusal(secret, host));
        return encode(value);
      });
    const headers = new Headers();
    for (const [name, value] of request.headers) headers.append(name, put(withoutBasic(value, put)));
    const href = put(request.url.href, encodeURIComponent);
    return {
      url: href === request.url.href ? request.url : new URL(href),
      headers,
      body: putInBody(request.body, put, bodyEncoding(request.headers)),
    };
  }

  /** Whether a text holds a placeholder of this broker. */
  holds(text: string): boolean {
    return [...text.matchAll(PLACEHOLDER)].some(([placeholder]) => this.#secrets.has(placeholder));
  }
}

/** A header value whose Basic credentials are revealed inside. */
function withoutBasic(value: string, put: (text: string) => string): string {
  const [, scheme = "", encoded = ""] = /^(Basic\s+)([A-Za-z0-9+/=]+)$/i.exec(value) ?? [];
  if (encoded === "") return value;
  try {
    const plain = atob(encoded);
    const revealed = put(plain);
    return revealed === plain ? value : scheme + btoa(revealed);
  } catch (error) {
    if (error instanceof DOMException) return value;
    throw error;
  }
}

/** How a value is written in a body of this type: a form or JSON would otherwise say something else. */
function bodyEncoding(headers: Headers): (value: string) => string {
  const type = headers.get("Content-Type")?.toLowerCase() ?? "";
  if (type.startsWith("application/x-www-form-urlencoded")) return encodeURIComponent;
  return /[/+]json\b/.test(type) ? (value) => JSON.stringify(value).slice(1, -1) : (value) => value;
}

function putInBody(
  body: BrokeredRequest["body"],
  put: Put,
  encode: (value: string) => string,
): BrokeredRequest["body"] {
  if (body === undefined || typeof body === "string") return body === undefined ? undefined : put(body, encode);
  // One character for each byte, so that what is not text stays as it is.
  const text = byteText(body);
  if (!text.includes(PREFIX)) return body;
  const revealed = put(text, (value) => byteText(new TextEncoder().encode(encode(value))));
  return Uint8Array.from(revealed, (character) => character.charCodeAt(0));
}

function byteText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Replaces the placeholders in a text. @param encode how a value is written there */
type Put = (text: string, encode?: (value: string) => string) => string;

function refusal({ variable, skill, hosts }: SkillSecret, host: string): string {
  const fix =
    hosts === undefined
      ? `Have your owner name the hosts in skills.entries.${skill}.hosts, or run a command that names ${host} and $${variable}: then your owner is asked.`
      : `Its entry names ${hosts.join(", ")}: skills.entries.${skill}.hosts.`;
  return `${variable}, a secret of the skill '${skill}', may not be sent to ${host}, and nothing was sent. ${fix}`;
}
