import { describe, expect, test, vi } from "vitest";
import { type DiscoveryLimits, discover } from "../../src/skills/discover.ts";
import type { SkillRoot, SkillSource } from "../../src/skills/skill.ts";
import { SkillCache } from "../../src/skills/skill-cache.ts";

const LIMITS: DiscoveryLimits = {
  maxCandidatesPerRoot: 300,
  maxSkillsLoadedPerSource: 200,
  maxSkillFileBytes: 256_000,
};
const ADDRESSES: Record<SkillSource, [address: string, mount: string]> = {
  workspace: ["skills/", "/workspace/skills/"],
  agents: [".agents/skills/", "/workspace/.agents/skills/"],
  managed: ["skills://managed/", "/skills/managed/"],
  bundled: ["skills://bundled/", "/skills/bundled/"],
  extra: ["skills://extra/team/", "/skills/extra/team/"],
  plugin: ["skills://plugin/p/", "/skills/plugin/p/"],
};

const skill = (name: string, description = `Does ${name}.`) =>
  `---\nname: ${name}\ndescription: "${description}"\n---\n`;

/** A root over texts, whose calls are written down; its etags are the texts. */
function rootOf(source: SkillSource, texts: Record<string, string>, over: Partial<SkillRoot> = {}) {
  const [address, mount] = ADDRESSES[source];
  const calls: string[] = [];
  const root: SkillRoot = {
    source,
    address,
    mount,
    async list() {
      calls.push("list");
      return Object.entries(texts).map(([path, text]) => ({ path, etag: text, size: text.length }));
    },
    async read(path, etag) {
      calls.push(`read ${path}`);
      const text = texts[path];
      return text === undefined || (etag !== undefined && text !== etag) ? undefined : new TextEncoder().encode(text);
    },
    ...over,
  };
  return { root, calls, texts };
}

const look = (roots: readonly SkillRoot[], limits: Partial<DiscoveryLimits> = {}, cache = new SkillCache()) =>
  discover(roots, { ...LIMITS, ...limits }, cache);

describe("discovery of skills", () => {
  test("discovery returns every skill by name with its location and files", async () => {
    const { root } = rootOf("managed", {
      "tools/weather/SKILL.md": skill("weather"),
      "tools/weather/scripts/run.sh": "echo",
      "a/skill.md": "---\ndescription: b\n---\n",
    });
    const { skills, leftOut, files } = await look([root]);
    expect(skills).toMatchObject([
      { name: "a", location: "skills://managed/a/skill.md", baseDir: "/skills/managed/a" },
      {
        name: "weather",
        source: "managed",
        location: "skills://managed/tools/weather/SKILL.md",
        baseDir: "/skills/managed/tools/weather",
        etag: skill("weather"),
      },
    ]);
    expect(leftOut).toEqual([]);
    expect(files.get("skills://managed/tools/weather/SKILL.md")).toEqual([
      { path: "SKILL.md", etag: skill("weather"), size: skill("weather").length },
      { path: "scripts/run.sh", etag: "echo", size: 4 },
    ]);
  });

  test("of two skills with one name the stronger source wins, and the other is reported", async () => {
    const sources: SkillSource[] = ["plugin", "bundled", "agents", "extra", "workspace", "managed"];
    const roots = sources.map((source) => rootOf(source, { "x/SKILL.md": skill("same", source) }).root);
    const { skills, leftOut } = await look(roots);
    expect(skills).toMatchObject([{ name: "same", source: "workspace", description: "workspace" }]);
    expect(leftOut.map(({ source, code }) => `${source} ${code}`)).toEqual([
      "agents shadowed",
      "managed shadowed",
      "bundled shadowed",
      "extra shadowed",
      "plugin shadowed",
    ]);
    expect(leftOut[0]).toMatchObject({
      name: "same",
      location: ".agents/skills/x/SKILL.md",
      reason: expect.stringContaining("skills/x/SKILL.md"),
    });
  });

  test("of two skills with one name in one source the first path or root wins", async () => {
    const first = rootOf("extra", { "b/SKILL.md": skill("same", "b"), "a/SKILL.md": skill("same", "a") }).root;
    const second = rootOf("extra", { "0/SKILL.md": skill("same", "0") }, { address: "skills://extra/two/" }).root;
    const { skills, leftOut } = await look([first, second]);
    expect(skills).toMatchObject([{ description: "a" }]);
    expect(leftOut.map(({ location }) => location)).toEqual([
      "skills://extra/team/b/SKILL.md",
      "skills://extra/two/0/SKILL.md",
    ]);
  });

  test("a skill name in another script is found", async () => {
    const { skills } = await look([rootOf("managed", { "a/SKILL.md": skill("X"), "b/SKILL.md": skill("x") }).root]);
    expect(skills.map(({ name }) => name)).toEqual(["X", "x"]);
  });

  test("a discovered skill has its issues", async () => {
    const { skills } = await look([
      rootOf("managed", { "a/SKILL.md": skill("My Skill"), "b/SKILL.md": skill("b") }).root,
    ]);
    expect(skills.map(({ issues }) => issues?.length)).toEqual([1, undefined]);
  });

  test("a root with its own SKILL.md is one skill", async () => {
    const { skills, leftOut } = await look([
      rootOf("extra", { "SKILL.md": "---\ndescription: b\n---\n", "a/SKILL.md": skill("a") }).root,
    ]);
    expect(skills).toMatchObject([
      { name: "team", location: "skills://extra/team/SKILL.md", baseDir: "/skills/extra/team" },
    ]);
    expect(leftOut).toMatchObject([{ name: "a", code: "below_root", location: "skills://extra/team/a/SKILL.md" }]);
  });
});

describe("skills that discovery leaves out", () => {
  test("an invalid SKILL.md is left out with its reason, and its siblings load", async () => {
    const { skills, leftOut } = await look([
      rootOf("workspace", { "a/SKILL.md": "---\n- b\n---\n", "b/SKILL.md": skill("b"), "c/SKILL.md": "" }).root,
    ]);
    expect(skills.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut.map(({ name, code }) => `${name} ${code}`)).toEqual(["a bad_front_matter", "c no_front_matter"]);
  });

  test("an invalid skill of a stronger source does not hide a valid weaker one", async () => {
    const { skills } = await look([
      rootOf("workspace", { "x/SKILL.md": "---\nname: x\n---\n" }).root,
      rootOf("bundled", { "x/SKILL.md": skill("x") }).root,
    ]);
    expect(skills).toMatchObject([{ name: "x", source: "bundled" }]);
  });

  test("a SKILL.md above the size limit is left out unread", async () => {
    const { root, calls } = rootOf("workspace", {
      "a/SKILL.md": skill("a", "x".repeat(500)),
      "b/SKILL.md": skill("b"),
    });
    const { skills, leftOut } = await look([root], { maxSkillFileBytes: 400 });
    expect(skills.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut).toMatchObject([{ code: "too_large", reason: expect.stringContaining("400") }]);
    expect(calls).toEqual(["list", "read b/SKILL.md"]);
  });

  test("candidates beyond a root's limit and skills beyond a source's limit are left out", async () => {
    const names = Array.from({ length: 150 }, (_, at) => `s${1000 + at}`);
    const texts = Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skill(name)]));
    const { root, calls } = rootOf("managed", texts);
    const { skills, leftOut } = await look([root], { maxCandidatesPerRoot: 10, maxSkillsLoadedPerSource: 4 });
    expect(skills.map(({ name }) => name)).toEqual(names.slice(0, 4));
    expect(calls.filter((call) => call.startsWith("read"))).toHaveLength(10);
    const reasons = leftOut.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.includes("maxCandidatesPerRoot"))).toHaveLength(100);
    expect(reasons.filter((reason) => reason.startsWith("40 more"))).toHaveLength(1);
    expect(reasons.filter((reason) => reason.includes("maxSkillsLoadedPerSource"))).toHaveLength(6);
  });

  test("a root that fails is reported, and the others load", async () => {
    const { skills, leftOut } = await look([
      rootOf("managed", {}, { list: () => Promise.reject(new Error("R2 is away.")) }).root,
      rootOf("bundled", { "b/SKILL.md": skill("b") }).root,
    ]);
    expect(skills.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut).toEqual([
      {
        name: "skills://managed/",
        source: "managed",
        location: "skills://managed/",
        code: "unreachable",
        reason: expect.stringContaining("R2 is away."),
      },
    ]);
  });

  test("a root that never answers is reported after a timeout", async () => {
    vi.useFakeTimers();
    try {
      const silent = rootOf("managed", {}, { list: () => new Promise(() => undefined) }).root;
      const looked = look([silent, rootOf("bundled", { "b/SKILL.md": skill("b") }).root]);
      await vi.advanceTimersByTimeAsync(20_000);
      const { skills, leftOut } = await looked;
      expect(skills).toHaveLength(1);
      expect(leftOut).toMatchObject([{ code: "unreachable" }]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a SKILL.md that cannot be read is reported, and read again at the next scan", async () => {
    const cache = new SkillCache();
    const texts = { "a/SKILL.md": skill("a"), "b/SKILL.md": skill("b") };
    let isAway = true;
    const { root, ...real } = rootOf("managed", texts);
    const flaky: SkillRoot = {
      ...root,
      read: (path, etag) =>
        isAway && path.startsWith("a") ? Promise.reject(new Error("Away.")) : root.read(path, etag),
    };
    const first = await look([flaky], {}, cache);
    expect(first.skills.map(({ name }) => name)).toEqual(["b"]);
    expect(first.leftOut).toMatchObject([{ name: "a", code: "unreadable" }]);
    isAway = false;
    expect((await look([flaky], {}, cache)).skills.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(real.calls).toEqual(["list", "read b/SKILL.md", "list", "read a/SKILL.md"]);
  });
});

describe("cost of discovery", () => {
  test("discovery costs one listing per root and one read per new or changed SKILL.md", async () => {
    const cache = new SkillCache();
    const { root, calls, texts } = rootOf("workspace", { "a/SKILL.md": skill("a"), "b/SKILL.md": "---\n- x\n---\n" });
    const first = await look([root], {}, cache);
    expect(calls).toEqual(["list", "read a/SKILL.md", "read b/SKILL.md"]);
    calls.length = 0;
    expect(await look([root], {}, cache)).toEqual(first);
    expect(calls).toEqual(["list"]);
    calls.length = 0;
    texts["b/SKILL.md"] = skill("b");
    texts["c/SKILL.md"] = skill("c");
    expect((await look([root], {}, cache)).skills.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(calls).toEqual(["list", "read b/SKILL.md", "read c/SKILL.md"]);
  });

  test("discovery of 300 skills reads at most six files at once", async () => {
    const texts = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`)]));
    let [now, most] = [0, 0];
    const { root } = rootOf("managed", texts);
    const slow: SkillRoot = {
      ...root,
      async read(path, etag) {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 0));
        now--;
        return root.read(path, etag);
      },
    };
    const { skills, leftOut } = await look([slow]);
    expect([skills.length, leftOut.length]).toEqual([200, 100]);
    expect(most).toBe(6);
  });
});

describe("changes during discovery", () => {
  test("a SKILL.md that changes during discovery is read now and again at the next scan", async () => {
    const cache = new SkillCache();
    const { root, texts, calls } = rootOf("workspace", { "a/SKILL.md": skill("a", "old") });
    const changing: SkillRoot = {
      ...root,
      async list() {
        const files = await root.list();
        texts["a/SKILL.md"] = skill("a", "new");
        return files;
      },
    };
    expect((await look([changing], {}, cache)).skills).toMatchObject([{ description: "new" }]);
    texts["a/SKILL.md"] = skill("a", "old");
    expect((await look([root], {}, cache)).skills).toMatchObject([{ description: "old" }]);
    expect(calls.filter((call) => call.startsWith("read"))).toHaveLength(3);
  });

  test("a SKILL.md that grows beyond the limit during discovery is left out", async () => {
    const { root } = rootOf("workspace", { "a/SKILL.md": skill("a") });
    const grown = new TextEncoder().encode(skill("a", "x".repeat(500)));
    const growing: SkillRoot = { ...root, read: async (_, etag) => (etag === undefined ? grown : undefined) };
    expect((await look([growing], { maxSkillFileBytes: 400 })).leftOut).toMatchObject([
      { name: "a", code: "too_large" },
    ]);
  });

  test("a SKILL.md that is deleted during discovery is not found", async () => {
    const { root } = rootOf("workspace", { "a/SKILL.md": skill("a") }, { read: async () => undefined });
    expect(await look([root])).toMatchObject({ skills: [], leftOut: [] });
  });
});
