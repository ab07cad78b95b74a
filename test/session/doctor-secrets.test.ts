import { expect, test } from "vitest";
import { examineSecrets } from "../../src/session/doctor/secrets.ts";

test("a secret that stands where its name should is not told", () => {
  const references = { a: { source: "env", id: "sk-hunter2" }, b: { source: "env", id: "GOOD_NAME" } };
  const configuration = { document: { auth: references } };
  const checks = examineSecrets({ configuration, secret: () => undefined } as any);
  expect(JSON.stringify(checks)).not.toContain("hunter2");
  expect(checks.map(({ id }) => id)).toContain("secrets.GOOD_NAME");
});
