import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { discover } from "../../src/skills/discover.ts";
import { bucketRoot, bundledRoot, extraRoot, managedRoot, pluginRoot, workspaceRoots } from "../../src/skills/roots.ts";
import type { SkillRoot } from "../../src/skills/skill.ts";
import { SkillCache } from "../../src/skills/skill-cache.ts";
import { DELETION_MARK } from "../../src/workspace/file-store.ts";
import { watchWorkspace } from "../workspace/open-workspace.ts";
import { watchBucket } from "../workspace/watch-bucket.ts";

const LIMITS = { maxCandidatesPerRoot: 300, maxSkillsLoadedPerSource: 200, maxSkillFileBytes: 256_000 };
const NEW = { kind: "new" } as const;

const skill = (name: string, description = "x") => `---\nname: ${name}\ndescription: ${description}\n---\n`;
const look = (roots: readonly SkillRoot[], cache = new SkillCache()) => discover(roots, LIMITS, cache);
const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

let places = 0;

/** A prefix that no other test has. */
const newPrefix = () => `skill-roots-${places++}/`;

describe("skill roots of a workspace", () => {
  test("workspace skills are in `skills/` and `.agents/skills/`, and the former is stronger", async () => {
    const { workspace } = watchWorkspace();
    await workspace.write("skills/a/SKILL.md", skill("a", "one"), NEW);
    await workspace.write("skills/a/scripts/x.sh", "echo", NEW);
    await workspace.write(".agents/skills/a/SKILL.md", skill("a", "two"), NEW);
    await workspace.write(".agents/skills/b/skill.md", skill("b"), NEW);
    await workspace.write("elsewhere/c/SKILL.md", skill("c"), NEW);
    const { skills, leftOut, files } = await look(workspaceRoots(workspace));
    expect(skills).toMatchObject([
      {
        name: "a",
        source: "workspace",
        location: "skills/a/SKILL.md",
        baseDir: "/workspace/skills/a",
        description: "one",
      },
      { name: "b", source: "agents", location: ".agents/skills/b/skill.md", baseDir: "/workspace/.agents/skills/b" },
    ]);
    expect(leftOut).toMatchObject([{ code: "shadowed", location: ".agents/skills/a/SKILL.md" }]);
    expect(files.get("skills/a/SKILL.md")?.map(({ path }) => path)).toEqual(["SKILL.md", "scripts/x.sh"]);
  });

  test("scanning a workspace costs one listing per root and one read per new SKILL.md", async () => {
    const { workspace, calls, prefix } = watchWorkspace();
    const file = await workspace.write("skills/a/SKILL.md", skill("a"), NEW);
    const cache = new SkillCache();
    calls.length = 0;
    await look(workspaceRoots(workspace), cache);
    expect(calls).toEqual(["list", "list", `get ${prefix}skills/a/SKILL.md`]);
    calls.length = 0;
    await look(workspaceRoots(workspace), cache);
    expect(calls).toEqual(["list", "list"]);
    await workspace.write("skills/a/SKILL.md", skill("a", "new"), { kind: "etag", etag: file.etag });
    const { skills } = await look(workspaceRoots(workspace), cache);
    expect(skills).toMatchObject([{ description: "new" }]);
  });

  test("are read by path, and by version", async () => {
    const { workspace } = watchWorkspace();
    const file = await workspace.write("skills/a/SKILL.md", "text", NEW);
    const [root] = workspaceRoots(workspace);
    expect(textOf(await root!.read("a/SKILL.md"))).toBe("text");
    expect(textOf(await root!.read("a/SKILL.md", file.etag))).toBe("text");
    expect(await root!.read("a/SKILL.md", "other")).toBeUndefined();
    expect(await root!.read("b/SKILL.md")).toBeUndefined();
    await expect(root!.read("../../SKILL.md")).rejects.toThrow();
  });

  test("a workspace root that cannot be listed is reported, and the other one loads", async () => {
    const { workspace } = watchWorkspace({ before: () => new Error("R2 is away (10001)") });
    const { skills, leftOut } = await look([
      ...workspaceRoots(workspace),
      bundledRoot([{ name: "b", files: { "SKILL.md": skill("b") } }]),
    ]);
    expect(skills.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut).toMatchObject([
      { code: "unreachable", location: "skills/", source: "workspace" },
      { code: "unreachable", location: ".agents/skills/", source: "agents" },
    ]);
  });
});

describe("skill roots over a bucket prefix", () => {
  test("a bucket root lists all pages, without invalid keys and files being deleted", async () => {
    const prefix = newPrefix();
    for (const path of ["a/SKILL.md", "b/SKILL.md", "c/x.md", "c/SKILL.md"]) {
      await env.FILES.put(`${prefix}${path}`, skill(path.slice(0, 1)));
    }
    await env.FILES.put(`${prefix}d/../e/SKILL.md`, skill("e"));
    await env.FILES.put(`${prefix}f//SKILL.md`, skill("f"));
    await env.FILES.put(`${prefix}g/SKILL.md`, DELETION_MARK);
    const { bucket, calls } = watchBucket(env.FILES, { pageSize: 2 });
    const root = bucketRoot(bucket, prefix, {
      source: "extra",
      address: "skills://extra/t/",
      mount: "/skills/extra/t/",
    });
    const { skills, leftOut } = await look([root]);
    expect(leftOut).toEqual([]);
    expect(skills.map(({ location }) => location)).toEqual([
      "skills://extra/t/a/SKILL.md",
      "skills://extra/t/b/SKILL.md",
      "skills://extra/t/c/SKILL.md",
    ]);
    expect(calls.filter((call) => call === "list").length).toBeGreaterThan(1);
  });

  test("a bucket root retries while the store is busy", async () => {
    const prefix = newPrefix();
    await env.FILES.put(`${prefix}a/SKILL.md`, skill("a"));
    let failures = 0;
    const { bucket } = watchBucket(env.FILES, { before: () => failures++ % 2 === 0 && new Error("busy (10001)") });
    const place = { source: "extra", address: "skills://extra/t/", mount: "/skills/extra/t/" } as const;
    const root = bucketRoot(bucket, prefix, place, async () => undefined);
    expect((await look([root])).skills.map(({ name }) => name)).toEqual(["a"]);
  });

  test("are read by path, and by version", async () => {
    const prefix = newPrefix();
    const etag = (await env.FILES.put(`${prefix}a/SKILL.md`, "text"))?.etag;
    const root = extraRoot(env.FILES, prefix);
    expect(textOf(await root.read("a/SKILL.md"))).toBe("text");
    expect(textOf(await root.read("a/SKILL.md", etag))).toBe("text");
    expect(await root.read("a/SKILL.md", "other")).toBeUndefined();
    expect(await root.read("b/SKILL.md")).toBeUndefined();
  });

  test("skills of all agents are in `skills/managed/`", async () => {
    const folder = `managed-${places++}`;
    await env.FILES.put(`skills/managed/${folder}/SKILL.md`, skill(folder));
    const { skills } = await look([managedRoot(env.FILES)]);
    expect(skills).toContainEqual(
      expect.objectContaining({
        name: folder,
        source: "managed",
        location: `skills://managed/${folder}/SKILL.md`,
        baseDir: `/skills/managed/${folder}`,
      }),
    );
    await env.FILES.delete(`skills/managed/${folder}/SKILL.md`);
  });

  test("the address of an extra root includes its folder, with or without a trailing `/`", async () => {
    const prefix = newPrefix();
    await env.FILES.put(`${prefix}a/SKILL.md`, skill("a"));
    for (const dir of [prefix, prefix.slice(0, -1)]) {
      expect((await look([extraRoot(env.FILES, dir)])).skills).toMatchObject([
        { source: "extra", location: `skills://extra/${prefix}a/SKILL.md`, baseDir: `/skills/extra/${prefix}a` },
      ]);
    }
  });
});

describe("compiled-in skills", () => {
  test("bundled skills are in folders of their names, with their other files", async () => {
    const root = bundledRoot([{ name: "b", files: { "SKILL.md": skill("b"), "scripts/x.sh": "echo" } }]);
    const { skills, files } = await look([root]);
    expect(skills).toMatchObject([
      { name: "b", source: "bundled", location: "skills://bundled/b/SKILL.md", baseDir: "/skills/bundled/b" },
    ]);
    expect(files.get("skills://bundled/b/SKILL.md")?.map(({ path }) => path)).toEqual(["SKILL.md", "scripts/x.sh"]);
    expect(textOf(await root.read("b/scripts/x.sh"))).toBe("echo");
    expect(textOf(await root.read("b/SKILL.md", skills[0]?.etag))).toBe(skill("b"));
    expect(await root.read("b/SKILL.md", "other")).toBeUndefined();
    expect(await root.read("toString")).toBeUndefined();
  });

  test("a compiled-in skill has a new version when its text changes", async () => {
    const listed = async (text: string) => (await bundledRoot([{ name: "b", files: { "SKILL.md": text } }]).list())[0];
    expect((await listed("a"))?.etag).not.toBe((await listed("b"))?.etag);
    expect(await listed("a")).toEqual(await listed("a"));
  });

  test("plugin skills may be one text or several files, and never overwrite each other", async () => {
    const root = pluginRoot("acme", [
      skill("Big Tool!"),
      { "SKILL.md": skill("two"), "scripts/x.sh": "echo" },
      skill("two", "again"),
      "---\ndescription: no name\n---\n",
      "# no skill",
    ]);
    const { skills, leftOut } = await look([root]);
    expect(skills.map(({ name, location }) => `${name} ${location}`)).toEqual([
      "Big Tool! skills://plugin/acme/big-tool/SKILL.md",
      "skill-4 skills://plugin/acme/skill-4/SKILL.md",
      "two skills://plugin/acme/two/SKILL.md",
    ]);
    expect(skills[0]).toMatchObject({ source: "plugin", baseDir: "/skills/plugin/acme/big-tool" });
    expect(leftOut.map(({ location, code }) => `${code} ${location}`)).toEqual([
      "no_front_matter skills://plugin/acme/skill-5/SKILL.md",
      "shadowed skills://plugin/acme/two-3/SKILL.md",
    ]);
    expect(textOf(await root.read("two/scripts/x.sh"))).toBe("echo");
  });
});
