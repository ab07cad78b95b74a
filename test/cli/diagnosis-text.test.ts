import { expect, test } from "vitest";
import { diagnosisText } from "../../src/cli/diagnosis-text.ts";
import { importText } from "../../src/cli/import-text.ts";

const CHECKS = [
  { id: "a", area: "database", status: "ok" as const, message: "D1 answers." },
  { id: "b", area: "models", status: "warn" as const, message: "Only rules answer.", fix: "Set a key." },
  { id: "c", area: "secrets", status: "fail" as const, message: "P_KEY is not set.\u001b[2J", fix: "Set it." },
];

test("a diagnosis is a line for each check, with what to do below, and the count", () => {
  expect(diagnosisText({ ok: false, checks: CHECKS }, false)).toBe(`✓ database  D1 answers.
! models    Only rules answer.
            → Set a key.
✗ secrets   P_KEY is not set. [2J
            → Set it.

1 ok, 1 warning, 1 failed.`);
});

test("of a diagnosis only the problems can be shown", () => {
  expect(diagnosisText({ ok: true, checks: CHECKS.slice(0, 1) }, true)).toBe("1 ok, 0 warnings, 0 failed.");
});

const REPORT = {
  revision: 0,
  stored: false,
  document: {},
  mapped: [
    { from: "agent.model", to: "agents.defaults.model" },
    { from: "cron.enabled", to: "cron.enabled", note: "Nothing reads it yet." },
  ],
  changed: [{ path: "meta", why: "Books." }],
  unknown: [{ path: "gateway", why: "None here.", hint: "Nothing has to be done." }],
  refused: [{ path: "channels.telegram.botToken", why: "In plain words.", hint: "wrangler secret put X." }],
  replaced: ["budgets.global.usdPerDay"],
};

test("what became of a document begins with what needs a hand", () => {
  expect(importText(REPORT, false)).toBe(`Refused: these values were not imported
  ✗ channels.telegram.botToken
      In plain words.
      wrangler secret put X.

Unknown: Isopod has no such settings
  ! gateway
      None here.
      Nothing has to be done.

Changed: imported in another form, or the default here
  · meta
      Books.

Replaced: these settings were removed
  ! budgets.global.usdPerDay

2 imported, 1 changed, 1 unknown, 1 refused, 1 replaced.`);
});

test("what came over is listed where that is wanted", () => {
  expect(importText(REPORT, true)).toContain(`Imported
  ✓ agent.model → agents.defaults.model
  ✓ cron.enabled
      Nothing reads it yet.`);
});
