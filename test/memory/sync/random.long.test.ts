import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { watchDatabase } from "../watch-database.ts";
import { expectConsistent, openIndex, textsOf } from "./sync-lab.ts";

/** A seeded generator (mulberry32). */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const PATHS = ["MEMORY.md", "memory/a.md", "memory/b.md", "memory/c/d.md", "memory/e.md", "memory/f.md"];

test.each([1, 2, 3, 4, 5])(
  "after random writes, crashes and concurrent runs the index matches the files (%i)",
  { timeout: 120_000 },
  async (seed) => {
    const draw = draws(seed);
    const lab = openIndex(env.MEMORY);
    lab.deps.maxUnits = 1500;
    let words = 0;
    const lines = (count: number) => Array.from({ length: count }, () => `unique${seed}q${words++} and some more`);
    const anyPath = () => PATHS[draw(PATHS.length)] as string;
    const textAt = async (path: string) =>
      lab.workspace.read(path).then(
        ({ bytes }) => new TextDecoder().decode(bytes),
        () => undefined,
      );
    const dying = () =>
      draw(3) > 0 ? {} : { dies: { at: 1 + draw(12), when: draw(2) === 0 ? "before" : "after" } as const };

    async function change(): Promise<void> {
      const path = anyPath();
      const text = await textAt(path);
      const write = (to: string, content: string) =>
        draw(3) === 0 ? lab.workspace.write(to, content, { kind: "any" }) : lab.write(to, content);
      switch (draw(5)) {
        case 0:
          return void (await write(path, lines(draw(60)).join("\n")));
        case 1:
          return void (await write(path, [text ?? "", ...lines(1 + draw(3))].join("\n")));
        case 2:
          return void (await write(path, [...lines(1), text ?? ""].join("\n")));
        case 3:
          if (text !== undefined) await lab.remove(path);
          return;
        default:
          if (text !== undefined) {
            await lab.write(anyPath(), text);
            await lab.remove(path).catch(() => undefined);
          }
      }
    }

    async function index(): Promise<unknown> {
      const { database } = watchDatabase(env.MEMORY, dying());
      if (draw(2) === 0) return lab.indexChanged(undefined, { database });
      return lab.sync({ budgetMs: draw(2) * 10_000, force: draw(10) === 0 }, { database });
    }

    for (let step = 0; step < 40; step++) {
      const together = [change, index, change, index].slice(0, 1 + draw(4));
      await Promise.allSettled(together.map((work) => work()));
      if (draw(4) === 0) lab.clock.now += 200_000;
    }
    lab.clock.now += 200_000;
    for (let left = 1, rounds = 0; left > 0; rounds++) {
      expect(rounds).toBeLessThan(5);
      ({ left } = await lab.sync());
    }
    const files = await textsOf(lab.workspace);
    await expectConsistent(lab, files);
    for (const [path, text] of Object.entries(files)) {
      const [first] = text.match(/unique\d+q\d+/) ?? [];
      if (first !== undefined) expect(await lab.find(first)).toContain(path);
    }
  },
);
