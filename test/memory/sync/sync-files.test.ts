import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { expectConsistent, note, openIndex } from "./lab.ts";

test("the first comparison finds all memory files, and each word in them", async () => {
  const lab = openIndex(env.MEMORY);
  const files = {
    "MEMORY.md": note("major", 30),
    "memory.md": "minor",
    "memory/2026-11-22.md": note("today", 100),
    "memory/deep/empty.md": "",
  };
  for (const [path, text] of Object.entries(files)) await lab.workspace.write(path, text, { kind: "new" });
  await lab.workspace.write("AGENTS.md", "no memory", { kind: "new" });
  expect(await lab.sync()).toEqual({ left: 0, busy: false, indexed: 4 });
  await expectConsistent(lab, files);
  expect(await lab.find("todayx57")).toContain("memory/2026-11-22.md");
  expect(await lab.find("minor")).toEqual(["memory.md"]);
  expect((await lab.status()).comparedAt).toBe(lab.clock.now);
});
