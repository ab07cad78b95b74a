import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { isSigned, readWebhookKeys, signedHeaders } from "../../src/security/standard-webhooks.ts";

const OLD = "whsec_b2xkIHNlY3JldCBvZiB0aGUgc2VydmljZQ==";
const NEW = "whsec_bmV3IHNlY3JldCBvZiB0aGUgc2VydmljZQ==";
const NOW = 1_800_000_000_000;
const BODY = '{"text":"héllo 你好"}';
const bytes = (text: string) => new TextEncoder().encode(text);

async function signed(secret = OLD, changes: Record<string, string> = {}): Promise<Headers> {
  const [key] = readWebhookKeys(secret).secrets;
  return new Headers({ ...(await signedHeaders(key!, { id: "msg_1", body: BODY, now: NOW })), ...changes });
}

const isAccepted = (headers: Headers, { keys = OLD, body = bytes(BODY), now = NOW } = {}) =>
  isSigned(headers, body, readWebhookKeys(keys), now);

describe("a signature", () => {
  test("is accepted by the reference library, and the library's is accepted here", async () => {
    const now = Date.now();
    const headers = await signedHeaders(readWebhookKeys(OLD).secrets[0]!, { id: "msg_1", body: BODY, now });
    expect(new Webhook(OLD).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    const theirs = { ...headers, "webhook-signature": new Webhook(OLD).sign("msg_1", new Date(now), BODY) };
    expect(await isSigned(new Headers(theirs), bytes(BODY), readWebhookKeys(OLD), now)).toBe(true);
  });

  test("by an Ed25519 key is known by the public key, and by no secret", async () => {
    const pair = (await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"])) as CryptoKeyPair;
    const raw = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
    const content = bytes(`msg_1.${NOW / 1000}.${BODY}`);
    const made = new Uint8Array(await crypto.subtle.sign({ name: "Ed25519" }, pair.privateKey, content));
    const base64 = btoa(String.fromCharCode(...made));
    const headers = await signed(OLD, { "webhook-signature": `v1a,${base64}` });
    const publicKey = `whpk_${btoa(String.fromCharCode(...raw))}`;
    expect(await isAccepted(headers, { keys: `${OLD},${publicKey}` })).toBe(true);
    expect(await isAccepted(headers)).toBe(false);
    const other = await signed(OLD, { "webhook-signature": `v1,${base64}` });
    expect(await isAccepted(other, { keys: publicKey })).toBe(false);
  });

  test("covers the id, the time and every byte of the body", async () => {
    expect(await isAccepted(await signed())).toBe(true);
    expect(await isAccepted(await signed(OLD, { "webhook-id": "msg_2" }))).toBe(false);
    expect(await isAccepted(await signed(OLD, { "webhook-timestamp": String(NOW / 1000 - 1) }))).toBe(false);
    expect(await isAccepted(await signed(), { body: bytes(`${BODY} `) })).toBe(false);
  });

  test("holds for five minutes, in both directions", async () => {
    for (const seconds of [300, -300]) {
      expect(await isAccepted(await signed(), { now: NOW + seconds * 1000 })).toBe(true);
      expect(await isAccepted(await signed(), { now: NOW + (seconds + Math.sign(seconds)) * 1000 })).toBe(false);
    }
  });

  test("without its id, its time or itself is none, nor with a time that is no number", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const headers = await signed();
      headers.delete(name);
      expect([name, await isAccepted(headers)]).toEqual([name, false]);
    }
    for (const time of ["", "soon", "1e9", "-1", `${NOW / 1000}x`]) {
      expect([time, await isAccepted(await signed(OLD, { "webhook-timestamp": time }))]).toEqual([time, false]);
    }
    for (const signature of ["", "v1", "v1,", "v1,g0hM9", "v1,%%%"]) {
      expect([signature, await isAccepted(await signed(OLD, { "webhook-signature": signature }))]).toEqual([
        signature,
        false,
      ]);
    }
  });

  test("may stand among others, of other versions and other secrets, up to a number", async () => {
    const right = (await signed()).get("webhook-signature")!;
    const wrong = (await signed(NEW)).get("webhook-signature")!;
    const withSignatures = (list: string[]) => signed(OLD, { "webhook-signature": list.join(" ") });
    expect(await isAccepted(await withSignatures([wrong, `v2${right.slice(2)}`, right]))).toBe(true);
    expect(await isAccepted(await withSignatures([wrong, `v2${right.slice(2)}`]))).toBe(false);
    expect(await isAccepted(await withSignatures([...Array.from({ length: 20 }, () => wrong), right]))).toBe(false);
  });
});

describe("the keys of a variable", () => {
  test("are all good for verifying while a secret is changed", async () => {
    for (const keys of [`${NEW},${OLD}`, `${NEW} ${OLD}`, `${OLD.slice("whsec_".length)}\n${NEW}`]) {
      expect([
        keys,
        await isAccepted(await signed(OLD), { keys }),
        await isAccepted(await signed(NEW), { keys }),
      ]).toEqual([keys, true, true]);
    }
    expect(await isAccepted(await signed(OLD), { keys: NEW })).toBe(false);
  });

  test("are none where the variable is empty or holds something else, which is counted", () => {
    for (const text of ["", " , ", "whsec_"]) expect(readWebhookKeys(text).secrets).toEqual([]);
    expect(readWebhookKeys(`${OLD},not base64!,whpk_short`)).toMatchObject({ publicKeys: [], unreadable: 3 });
  });
});
