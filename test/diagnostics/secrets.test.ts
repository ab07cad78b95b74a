import { expect, test } from "vitest";
import { examineSecrets } from "../../src/diagnostics/secrets.ts";

test("a secret that stands where its name should is not told", () => {
  const references = { a: { source: "env", id: "sk-hunter2" }, b: { source: "env", id: "GOOD_NAME" } };
  const configuration = { document: { auth: references } };
  const checks = examineSecrets({ configuration, secret: () => undefined } as any);
  expect(JSON.stringify(checks)).not.toContain("hunter2");
  expect(checks.map(({ id }) => id)).toContain("secrets.GOOD_NAME");
});

test("a secret of a skill that is not set is a warning, because only the skill is without it", () => {
  const secret = { source: "env", id: "GH_KEY" };
  const configuration = {
    document: {
      skills: { entries: { gh: { apiKey: secret } } },
      channels: { telegram: { accounts: { default: { botToken: { ...secret, id: "BOT" } } } } },
    },
  };
  const checks = examineSecrets({ configuration, secret: () => undefined } as any);
  expect(checks.filter(({ status }) => status === "warn").map(({ id }) => id)).toEqual(["secrets.GH_KEY"]);
});
