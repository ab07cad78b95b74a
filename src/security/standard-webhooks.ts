import { fromBase64, toBase64 } from "../lib/base64.ts";
import { joinBytes } from "../lib/join-bytes.ts";
import { ed25519KeyBytes } from "./ed25519-key.ts";
import { hmac, isHmac } from "./hmac.ts";

/** The keys of one side of a webhook. */
export interface WebhookKeys {
  /** Shared secrets; the first one signs. */
  secrets: readonly Uint8Array<ArrayBuffer>[];
  /** Ed25519 public keys of senders. */
  publicKeys: readonly Uint8Array<ArrayBuffer>[];
  /** How many entries are no keys. */
  unreadable: number;
}

/** The headers of a signed request. */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

/** How far the clocks of both sides may be apart, and how old a request may be. */
const TOLERANCE_SEC = 5 * 60;
/** Shorter secrets could be guessed; the specification asks for 24 bytes. */
const MIN_SECRET_BYTES = 16;
/** Most signatures of one request that are compared. */
const MAX_SIGNATURES = 20;

/**
 * The keys in the text of a variable, separated by commas or white space: secrets in base64, with or without `whsec_`,
 * and public keys, which begin with `whpk_`. Words and short
 * secrets are no keys.
 */
export function readWebhookKeys(text: string): WebhookKeys {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const [open, shared] = [entries.filter(isPublicKey), entries.filter((entry) => !isPublicKey(entry))];
  const publicKeys = open.flatMap((entry) => ed25519KeyBytes(entry.slice(PUBLIC_PREFIX.length)) ?? []);
  const secrets = shared
    .flatMap((entry) => fromBase64(entry.replace(/^whsec_/, "")) ?? [])
    .filter((secret) => secret.length >= MIN_SECRET_BYTES);
  return { secrets, publicKeys, unreadable: entries.length - secrets.length - publicKeys.length };
}

const PUBLIC_PREFIX = "whpk_";

function isPublicKey(entry: string): boolean {
  return entry.startsWith(PUBLIC_PREFIX);
}

/** The headers that sign a body under an id, which stays the same when it is sent again. @param now in milliseconds */
export async function signedHeaders(
  secret: string | Uint8Array,
  { id, body, now }: { id: string; body: string; now: number },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = await hmac("SHA-256", secret, signedContent(id, timestamp, new TextEncoder().encode(body)));
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `v1,${toBase64(signature)}`,
  };
}

/**
 * Whether one of a request's signatures is one of these bytes by one of the keys, made within five minutes of now: `v1`
 * (HMAC-SHA256) or `v1a` (Ed25519). Signatures of other versions are passed over.
 * @param now in milliseconds
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function isSigned(
  headers: Headers,
  body: Uint8Array,
  { secrets, publicKeys }: WebhookKeys,
  now: number,
): Promise<boolean> {
  const [id, timestamp, signatures] = [
    headers.get(WEBHOOK_HEADERS.id) ?? "",
    headers.get(WEBHOOK_HEADERS.timestamp) ?? "",
    headers.get(WEBHOOK_HEADERS.signature) ?? "",
  ];
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now / 1000) - Number(timestamp)) > TOLERANCE_SEC) return false;

  const content = signedContent(id, timestamp, body);
  for (const entry of signatures.split(" ").slice(0, MAX_SIGNATURES)) {
    const comma = entry.indexOf(",");
    const [version, signature] = [entry.slice(0, comma), fromBase64(entry.slice(comma + 1))];
    if (signature === undefined) continue;
    if (version === "v1" && (await someAsync(secrets, (key) => isHmac("SHA-256", key, content, signature))))
      return true;
    if (version === "v1a" && (await someAsync(publicKeys, (key) => isEd25519(key, content, signature)))) return true;
  }
  return false;
}

function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return joinBytes([new TextEncoder().encode(`${id}.${timestamp}.`), body]);
}

async function isEd25519(
  publicKey: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, content);
}

async function someAsync<Item>(items: readonly Item[], isSo: (item: Item) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await isSo(item)) return true;
  return false;
}
