import { expect, test } from "vitest";
import { commands } from "../../src/config/security-schema.ts";
import { ownersForPrompt } from "../../src/services/owner-ids.ts";

const SECRETS: Record<string, string> = { OWNER_KEY: "Jefe", OTHER_KEY: "key" };

function shown(config: object, secrets = SECRETS): Promise<string[]> {
  return ownersForPrompt(commands.parse(config), (name) => secrets[name]);
}

const display = (id: string) => ({ ownerDisplaySecret: { source: "env", id } });

test("owners' ids with ownerDisplay raw are shown as they are configured", async () => {
  expect(await shown({ ownerAllowFrom: ["telegram:42", "+49 30 1"], ownerDisplay: "raw" })).toEqual([
    "telegram:42",
    "+49 30 1",
  ]);
});

test("without a secret an owner's id is shown as the first 12 digits of its SHA-256", async () => {
  expect(await shown({ ownerAllowFrom: ["telegram:42", "abc"] })).toEqual(["65d845547d3d", "ba7816bf8f01"]);
});

test("with a secret an owner's id is shown as the first 12 digits of its HMAC-SHA256, as in the second case of RFC 4231", async () => {
  const ownerAllowFrom = ["what do ya want for nothing?"];
  expect(await shown({ ownerAllowFrom, ...display("OWNER_KEY") })).toEqual(["5bdcc146bf60"]);
});

test("another secret gives another text, also for a configuration that was seen before", async () => {
  const config = commands.parse({ ownerAllowFrom: ["telegram:42"], ...display("OTHER_KEY") });
  expect(await ownersForPrompt(config, () => "key")).toEqual(["71cb6312da90"]);
  expect(await ownersForPrompt(config, () => "Jefe")).not.toEqual(["71cb6312da90"]);
});

test("an owner's id is hashed once for all turns of a configuration", () => {
  const config = commands.parse({ ownerAllowFrom: ["telegram:42"] });
  const secret = () => undefined;
  expect(ownersForPrompt(config, secret)).toBe(ownersForPrompt(config, secret));
});
