import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { chunkText } from "../../../src/memory/text/chunk.ts";
import { type Watch, watchDatabase } from "../watch-database.ts";
import { expectConsistent, note, openIndex } from "./sync-lab.ts";

const BEFORE = {
  "memory/grows.md": note("grows", 60),
  "memory/goes.md": note("goes", 20),
  "memory/large.md": note("large", 300),
  "memory/same.md": "the same",
};
const AFTER = {
  "memory/grows.md": `${BEFORE["memory/grows.md"]}\nand more`,
  // The first half stays, so that its chunks move to the new version.
  "memory/large.md": `${note("large", 150)}\n${note("other", 300)}`,
  "memory/same.md": "the same",
  "memory/new.md": note("new", 30),
};

/** An index of the files before their changes, and the changed workspace. */
async function halfway() {
  const lab = openIndex(env.MEMORY);
  lab.deps.maxUnits = 4000;
  for (const [path, text] of Object.entries(BEFORE)) await lab.workspace.write(path, text, { kind: "new" });
  await lab.sync();
  for (const [path, text] of Object.entries(AFTER)) await lab.write(path, text);
  await lab.remove("memory/goes.md");
  return lab;
}

/** Whether the live chunks of a path are those of a text. */
function isWhole(rows: readonly { text: string | null }[], text: string | undefined, lab: Lab): boolean {
  const wanted = text === undefined ? [] : [...chunkText(text, lab.deps.settings.chunking)].map((chunk) => chunk.text);
  return JSON.stringify(rows.map((row) => row.text).sort()) === JSON.stringify(wanted.sort());
}

type Lab = Awaited<ReturnType<typeof halfway>>;

/** Expects that searches see one whole version of each file. */
async function expectWholeVersions(lab: Lab) {
  const byPath = Map.groupBy(await lab.rows(), ({ path }) => path);
  for (const path of new Set([...Object.keys(BEFORE), ...Object.keys(AFTER)])) {
    const rows = byPath.get(path) ?? [];
    const versions = [BEFORE, AFTER].map((files: Record<string, string>) => files[path]);
    expect(versions.some((text) => isWhole(rows, text, lab))).toBe(true);
  }
}

// Each builds a dozen indexes or more.
const LONG = { timeout: 120_000 };

test.each(["before", "after"] as const)(
  "a crash %s any call of the database leaves whole versions, and the next run completes the index",
  LONG,
  async (when) => {
    let survived = false;
    for (let at = 1; !survived; at++) {
      expect(at).toBeLessThan(60);
      const lab = await halfway();
      const dies: Watch["dies"] = { at, when };
      const { database, seen } = watchDatabase(env.MEMORY, { dies });
      survived = await lab.sync({}, { database }).then(
        () => seen.calls < at,
        () => false,
      );
      await expectWholeVersions(lab);
      // The lease was not released.
      lab.clock.now += 200_000;
      expect(await lab.sync()).toMatchObject({ left: 0, busy: false });
      await expectConsistent(lab, AFTER);
    }
  },
);

test("an interrupted large file is continued, and its old version answers until it is complete", async () => {
  const lab = await halfway();
  const steps: number[] = [];
  for (let left = 1; left > 0; ) {
    const { database, seen } = watchDatabase(env.MEMORY);
    ({ left } = await lab.sync({ budgetMs: 0 }, { database }));
    steps.push(seen.rowsWritten);
    await expectWholeVersions(lab);
    expect(steps.length).toBeLessThan(20);
  }
  expect(steps.length).toBeGreaterThan(3);
  await expectConsistent(lab, AFTER);
});

test("a large file that changes while it is written is started over", async () => {
  const lab = await halfway();
  for (let i = 0; i < 3; i++) await lab.sync({ budgetMs: 0 });
  const files = { ...AFTER, "memory/large.md": note("third", 250) };
  await lab.write("memory/large.md", files["memory/large.md"]);
  lab.clock.now += 200_000;
  await lab.sync();
  await expectConsistent(lab, files);
});

/** Indexes a large file and runs something after its first step. */
async function meanwhile(lab: Lab, happens: () => Promise<unknown>) {
  let happened = false;
  const { database } = watchDatabase(env.MEMORY, {
    async hold() {
      const begun =
        "SELECT 1 FROM files JOIN meta ON meta.id = memory_id WHERE agent_id = ? AND state = 'building' AND files.chunks > 0";
      if (happened || (await env.MEMORY.prepare(begun).bind(lab.agentId).first()) === null) return;
      happened = true;
      await happens();
    },
  });
  await lab.sync({}, { database });
  expect(happened).toBe(true);
}

test("a worker with an expired lease does not harm the work of the next one", async () => {
  const lab = await halfway();
  await meanwhile(lab, async () => {
    lab.clock.now += 200_000;
    expect(await lab.sync()).toMatchObject({ left: 0 });
  });
  await lab.sync();
  await expectConsistent(lab, AFTER);
});

test("two workers on the same version write it once", async () => {
  const lab = await halfway();
  await meanwhile(lab, async () => {
    lab.clock.now += 200_000;
    await lab.sync({ budgetMs: 0 });
  });
  lab.clock.now += 200_000;
  await lab.sync();
  await expectConsistent(lab, AFTER);
});

test("a large version does not take the place of a newer one", async () => {
  const lab = await halfway();
  await meanwhile(lab, async () => {
    await lab.write("memory/large.md", "small by now");
    await lab.indexChanged({ files: 9, bytes: 1_000_000 });
    await lab.write("memory/large.md", "smaller still");
  });
  expect(await lab.find("now")).toEqual(["memory/large.md"]);
  await lab.sync();
  await expectConsistent(lab, { ...AFTER, "memory/large.md": "smaller still" });
});

test("a large note that is deleted while it is written does not come back", async () => {
  const lab = openIndex(env.MEMORY);
  lab.deps.maxUnits = 4000;
  await lab.sync();
  await lab.write("memory/large.md", note("large", 300));
  await meanwhile(lab, async () => {
    await lab.remove("memory/large.md");
    await lab.indexChanged();
  });
  expect(await lab.rows()).toEqual([]);
  await lab.sync();
  await expectConsistent(lab, {});
});
