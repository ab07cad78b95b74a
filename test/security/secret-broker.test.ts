import { describe, expect, test } from "vitest";
import { SecretBroker } from "../../src/security/secret-broker.ts";

const VALUE = "s3cr&t välue";
const NEVER = () => false;

function brokerFor(hosts?: string[]) {
  const broker = new SecretBroker([{ variable: "API_KEY", value: VALUE, skill: "shop", ...(hosts && { hosts }) }]);
  return { broker, placeholder: broker.env.API_KEY! };
}

function revealed(
  { broker }: { broker: SecretBroker },
  { url = "https://api.test/x", headers = {}, body = undefined as string | Uint8Array<ArrayBuffer> | undefined },
  mayHave: (skill: string, host: string) => boolean = NEVER,
) {
  return broker.reveal({ url: new URL(url), headers: new Headers(headers), body }, mayHave);
}

describe("a secret of a skill", () => {
  test("is a placeholder that says nothing of its value and differs in every turn", () => {
    const [one, two] = [brokerFor(), brokerFor()];
    expect(one.placeholder).toMatch(/^isopod_secret_API_KEY_[0-9a-z]{26}$/);
    expect(one.placeholder).not.toBe(two.placeholder);
    expect(revealed(one, { headers: { x: two.placeholder } }).headers.get("x")).toBe(two.placeholder);
  });

  test("is put into headers, address and body of a request to a host that its entry names", () => {
    const lab = brokerFor(["*.test"]);
    const { placeholder } = lab;
    const sent = revealed(lab, {
      url: `https://api.test/x?key=${placeholder}`,
      headers: { Authorization: "Bearer x", "X-Raw": "a" },
      body: `{"key":"${placeholder}"}`,
    });
    expect(sent.url.href).toBe(`https://api.test/x?key=${encodeURIComponent(VALUE)}`);
    expect(sent.body).toBe(`{"key":"${VALUE}"}`);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    expect(revealed(lab, { headers: form, body: `key=${placeholder}&n=1` }).body).toBe(
      `key=${encodeURIComponent(VALUE)}&n=1`,
    );
    const json = brokerFor(["*.test"]);
    const quoted = new SecretBroker([{ variable: "K", value: 'a"b', skill: "shop", hosts: ["*.test"] }]);
    const typed = { headers: { "Content-Type": "application/json" }, body: `{"k":"${quoted.env.K}"}` };
    expect(JSON.parse(String(revealed({ ...json, broker: quoted }, typed).body))).toEqual({ k: 'a"b' });
    const bytes = new TextEncoder().encode(`\u00ff${placeholder}`);
    const raw = revealed(lab, { body: Uint8Array.from([0xff, ...bytes]) }).body as Uint8Array;
    expect([raw[0], new TextDecoder().decode(raw.slice(1))]).toEqual([0xff, `\u00ff${VALUE}`]);
  });

  test("is put into Basic credentials, which are encoded again", () => {
    const { broker, placeholder } = brokerFor(["api.test"]);
    const plain = new SecretBroker([{ variable: "API_KEY", value: "plain", skill: "shop", hosts: ["api.test"] }]);
    const key = plain.env.API_KEY!;
    const sent = revealed({ broker: plain }, { headers: { Authorization: `Basic ${btoa(`ada:${key}`)}` } });
    expect(sent.headers.get("Authorization")).toBe(`Basic ${btoa("ada:plain")}`);
    expect(broker.holds(`x ${placeholder}`)).toBe(true);
  });

  test.each([
    ["another host", ["api.test"], "https://evil.test/"],
    ["a host that only ends alike", ["api.test"], "https://notapi.test/"],
    ["any host, where the entry names none", undefined, "https://api.test/"],
  ])("is not sent to %s, and the reason names skill, host and fix", (_, hosts, url) => {
    const lab = brokerFor(hosts);
    const send = () => revealed(lab, { url, headers: { "X-Key": lab.placeholder } });
    expect(send).toThrow(/API_KEY, a secret of the skill 'shop', may not be sent to .*skills\.entries\.shop\.hosts/);
    expect(send).not.toThrow(VALUE);
  });

  test("may go where an owner has said so, if its entry names no hosts", () => {
    const lab = brokerFor();
    const sent = revealed(lab, { body: lab.placeholder }, (skill, host) => skill === "shop" && host === "api.test");
    expect(sent.body).toBe(VALUE);
  });
});
