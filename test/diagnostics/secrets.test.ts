import { expect, test } from "vitest";
import { examineSecrets } from "../../src/diagnostics/secrets.ts";

test("a secret pasted where its name belongs is not reported", () => {
  const references = { a: { source: "env", id: "sk-hunter2" }, b: { source: "env", id: "GOOD_NAME" } };
  const configuration = { document: { auth: references } };
  const checks = examineSecrets({ configuration, secret: () => undefined } as any);
  expect(JSON.stringify(checks)).not.toContain("hunter2");
  expect(checks.map(({ id }) => id)).toContain("secrets.GOOD_NAME");
});

test("a missing secret of a skill is a warning, because only that skill lacks it", () => {
  const secret = { source: "env", id: "GH_KEY" };
  const configuration = {
    document: {
      skills: { entries: { gh: { apiKey: secret } } },
      channels: { telegram: { accounts: { default: { botToken: { ...secret, id: "BOT" } } } } },
    },
  };
  const checks = examineSecrets({ configuration, secret: () => undefined } as any);
  const warned = checks.filter(({ status }) => status === "warn").map(({ id }) => id);
  expect(warned).toEqual(["secrets.ISOPOD_DATA_KEY", "secrets.GH_KEY"]);
});

test.each([
  ["not set", undefined, "warn"],
  ["too short", btoa("short"), "fail"],
  ["32 bytes", btoa("k".repeat(32)), "ok"],
  ["a new one and an old one", `${btoa("n".repeat(32))}, ${btoa("o".repeat(32))}`, "ok"],
])("a data key that is %s", (_, value, status) => {
  const secret = (name: string) => (name === "ISOPOD_DATA_KEY" ? value : undefined);
  const checks = examineSecrets({ configuration: { document: {} }, secret } as any);
  expect(checks).toContainEqual(expect.objectContaining({ id: "secrets.ISOPOD_DATA_KEY", status }));
});
