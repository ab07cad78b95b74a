import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";

test("requests of everyday life are done with the real tools over servers on loopback", () => {
  const evaluation = spawnSync(process.execPath, ["test/eval/tools.ts", "--json"], {
    cwd: resolve(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  assert.equal(evaluation.status, 0, evaluation.stdout + evaluation.stderr);
  const { tasks, done, asked, medianMs, charsOfSchemas } = JSON.parse(
    evaluation.stdout.trim().split("\n").at(-1) ?? "",
  );
  assert.ok(tasks >= 40);
  assert.equal(done, tasks);
  assert.ok(asked <= 2 && medianMs > 0 && charsOfSchemas <= 18_000);
});
