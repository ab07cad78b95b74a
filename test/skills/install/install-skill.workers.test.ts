import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { IsopodError } from "../../../src/lib/errors.ts";
import { finishAbandoned } from "../../../src/skills/install/finish-work.ts";
import { installSkill } from "../../../src/skills/install/install-skill.ts";
import type { InstallTarget } from "../../../src/skills/install/install-target.ts";
import { removeSkill, updateSkill } from "../../../src/skills/install/installed-skill.ts";
import { readLock } from "../../../src/skills/install/lock.ts";
import { checkQuarantine } from "../../../src/skills/install/quarantine.ts";
import { acceptSkill, verifySkill } from "../../../src/skills/install/verify-skill.ts";
import { skillText, tarGzOf, zipOf } from "./archives.ts";
import { dyingBucket, placeOf, RULES, textsBelow, zipRequest } from "./lab.ts";

const URL_SOURCE = { kind: "url" as const, url: "https://example.com/weather.zip" };

async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof IsopodError)) throw thrown;
    return thrown.details.reason;
  }
  return undefined;
}

const statesOf = async (place: InstallTarget) => {
  const stored = await readLock(place);
  if (stored.kind === "damaged") return stored.kind;
  return Object.fromEntries([...stored.lock.skills].map(([folder, { state }]) => [folder, state]));
};

/** What `discover` would find in a workspace's `skills/`. */
async function found({ files }: InstallTarget) {
  const all = await files.walk("skills");
  const heads = all.filter(({ path }) => path.endsWith("/SKILL.md"));
  return new Map(
    heads.map(({ path }) => {
      const folder = path.slice(0, -"SKILL.md".length);
      const inside = all.filter((file) => file.path.startsWith(folder));
      return [path, inside.map((file) => ({ ...file, path: file.path.slice(folder.length) }))];
    }),
  );
}

const quarantinedIn = async (place: InstallTarget) =>
  Object.fromEntries((await checkQuarantine(place, await found(place), true)).reasons);

describe("installing", () => {
  test("installing stores the files in the folder of the skill's name, and their digests in the lock", async () => {
    const { place } = placeOf("inst-plain");
    const { outcome, folder, entry } = await installSkill(place, RULES, zipRequest("Weather Now!", { "a/b.txt": "b" }));
    expect({ outcome, folder }).toEqual({ outcome: "installed", folder: "weather-now" });
    expect(entry).toMatchObject({ name: "Weather Now!", state: "installed", signature: { kind: "unsigned" } });
    expect(entry.files).toEqual([
      expect.objectContaining({ path: "SKILL.md" }),
      {
        path: "a/b.txt",
        size: 1,
        etag: "92eb5ffee6ae2fec3ad71c777531578f",
        sha256: "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
      },
    ]);
    expect(Object.keys(await textsBelow("agents/inst-plain/workspace/skills/"))).toEqual([
      "weather-now/SKILL.md",
      "weather-now/a/b.txt",
    ]);
    expect(await textsBelow("skills/packages/inst-plain/")).toEqual({});
    expect(await quarantinedIn(place)).toEqual({});
  });

  test("reinstalling the same bytes changes nothing, and other bytes need `replace`", async () => {
    const { place } = placeOf("inst-again");
    await installSkill(place, RULES, zipRequest("one", { "old.txt": "1" }));
    expect((await installSkill(place, RULES, zipRequest("one", { "old.txt": "1" }))).outcome).toBe("current");
    expect(await reasonOf(installSkill(place, RULES, zipRequest("one", { "new.txt": "2" })))).toBe("exists");
    await installSkill(place, RULES, zipRequest("one", { "new.txt": "2" }, { replace: true }));
    expect(Object.keys(await textsBelow("agents/inst-again/workspace/skills/one/"))).toEqual(["SKILL.md", "new.txt"]);
    expect(await place.files.versions("skills/one/old.txt")).toHaveLength(1);
    expect(await quarantinedIn(place)).toEqual({});
  });

  test("a folder that was not installed is not overwritten without `replace`", async () => {
    const { place, workspace } = placeOf("inst-mine");
    await workspace.write("skills/mine/notes.md", "mine", { kind: "new" });
    expect(await reasonOf(installSkill(place, RULES, zipRequest("mine")))).toBe("exists");
    expect(await textsBelow("agents/inst-mine/workspace/skills/")).toEqual({ "mine/notes.md": "mine" });
    await installSkill(place, RULES, zipRequest("mine", {}, { replace: true }));
    expect(Object.keys(await textsBelow("agents/inst-mine/workspace/skills/"))).toEqual(["mine/SKILL.md"]);
  });

  test("of a repository the named skill is installed, and without a name all are listed", async () => {
    const { place } = placeOf("inst-repo");
    const archive = await tarGzOf({
      "repo-1a2b/README.md": "x",
      "repo-1a2b/skills/one/SKILL.md": skillText("one"),
      "repo-1a2b/skills/two/SKILL.md": skillText("two"),
      "repo-1a2b/skills/two/more.md": "m",
    });
    const request = { archive, source: { kind: "upload" as const }, replace: false };
    await expect(installSkill(place, RULES, request)).rejects.toThrow(
      /`repo-1a2b\/skills\/one`, `repo-1a2b\/skills\/two`/,
    );
    const { notes } = await installSkill(place, RULES, { ...request, path: "skills/two" });
    expect(notes).toContain("2 files outside of `repo-1a2b/skills/two/` were left out.");
    expect(Object.keys(await textsBelow("agents/inst-repo/workspace/skills/"))).toEqual([
      "two/SKILL.md",
      "two/more.md",
    ]);
  });

  test("a package that is not a skill, not UTF-8 or refers outside its folder is refused, and nothing is stored", async () => {
    const { place } = placeOf("inst-bad");
    const reasons: (string | undefined)[] = [];
    for (const text of ["no front matter", skillText("x", "See [this](../../secret.md).")]) {
      const archive = zipOf({ "SKILL.md": text });
      reasons.push(await reasonOf(installSkill(place, RULES, { archive, source: { kind: "upload" }, replace: false })));
    }
    const latin = zipOf({ "SKILL.md": Uint8Array.from([...new TextEncoder().encode(skillText("x")), 0xe9]) });
    reasons.push(
      await reasonOf(installSkill(place, RULES, { archive: latin, source: { kind: "upload" }, replace: false })),
    );
    const none = zipOf({ "skill.md": skillText("x") });
    await expect(
      installSkill(place, RULES, { archive: none, source: { kind: "upload" }, replace: false }),
    ).rejects.toThrow(/`skill.md`/);
    expect(reasons).toEqual(["no_front_matter", "escaping_reference", "not_text"]);
    expect(await textsBelow("agents/inst-bad/")).toEqual({});
    expect(await textsBelow("skills/locks/inst-bad")).toEqual({});
  });

  test("of two concurrent installs of one skill, one wins and the other is refused", async () => {
    const { place } = placeOf("inst-race");
    const results = await Promise.allSettled(
      ["a", "b", "c"].map((text) => installSkill(place, RULES, zipRequest("race", { "who.txt": text }))),
    );
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(won).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(["busy", "exists"]).toContain(result.reason.details.reason);
    }
    expect((await verifySkill(place, "race")).ok).toBe(true);
    expect(await textsBelow("skills/packages/inst-race/")).toEqual({});
  });

  test("two skills installed at once are both installed", async () => {
    const { place } = placeOf("inst-both");
    await Promise.all(["one", "two", "three"].map((name) => installSkill(place, RULES, zipRequest(name))));
    expect(await statesOf(place)).toEqual({ one: "installed", two: "installed", three: "installed" });
  });
});

describe("crashes during installs", () => {
  /** Runs work that dies with each of its operations in turn, and looks at what is left, then at what comes of it. */
  async function dieEverywhere(
    name: string,
    prepare: (place: InstallTarget) => Promise<unknown>,
    work: (place: InstallTarget) => Promise<unknown>,
    check: (place: InstallTarget, at: string) => Promise<void>,
  ): Promise<number> {
    const counted = dyingBucket(Number.POSITIVE_INFINITY, "before");
    await prepare(placeOf(`${name}-all`).place);
    await work(placeOf(`${name}-all`, counted.bucket).place);
    for (const when of ["before", "after"] as const) {
      for (let at = 1; at <= counted.count(); at++) {
        const id = `${name}-${when}-${at}`;
        const whole = placeOf(id);
        await prepare(whole.place);
        const dying = placeOf(id, dyingBucket(at, when).bucket);
        await work(dying.place).then(
          () => undefined,
          (thrown) => expect([id, thrown]).toEqual([id, expect.any(TypeError)]),
        );
        const unfinished = Object.values(await statesOf(whole.place)).some((state) => state !== "installed");
        const set = await found(whole.place);
        const { reasons } = await checkQuarantine(whole.place, set, true);
        if (unfinished && set.size > 0)
          expect([id, [...reasons.values()]]).toEqual([id, [expect.stringMatching(/being/)]]);
        whole.clock.now += 61_000;
        await finishAbandoned(whole.place);
        await check(whole.place, id);
      }
    }
    return counted.count();
  }

  test("an install that crashes at any R2 operation is finished by the next caller or never began", async () => {
    const steps = await dieEverywhere(
      "die-in",
      async () => undefined,
      (place) => installSkill(place, RULES, zipRequest("whole", { "a.txt": "a", "b.txt": "b" })),
      async (place, at) => {
        const files = Object.keys(
          await textsBelow(`${place.packages.replace("skills/packages/", "agents/")}workspace/skills/whole/`),
        );
        const states = await statesOf(place);
        const isWhole = "whole" in Object(states);
        expect([at, states, files]).toEqual(
          isWhole ? [at, { whole: "installed" }, ["SKILL.md", "a.txt", "b.txt"]] : [at, {}, []],
        );
        expect([at, await quarantinedIn(place)]).toEqual([at, {}]);
        if (isWhole) expect((await verifySkill(place, "whole")).ok).toBe(true);
      },
    );
    expect(steps).toBeGreaterThan(10);
  });

  test("an update that crashes at any R2 operation leaves the old or the new version", async () => {
    await dieEverywhere(
      "die-up",
      (place) => installSkill(place, RULES, zipRequest("up", { "a.txt": "1", "old.txt": "1" })),
      (place) => installSkill(place, RULES, zipRequest("up", { "a.txt": "2", "new.txt": "2" }, { replace: true })),
      async (place, at) => {
        const { ok, files } = await verifySkill(place, "up");
        const names = files.map(({ path }) => path).join(" ");
        expect([at, ok, names]).toEqual([at, true, expect.stringMatching(/^SKILL.md a.txt (?:old|new).txt$/)]);
      },
    );
  });

  test("a removal that crashes at any R2 operation removes everything or nothing", async () => {
    await dieEverywhere(
      "die-out",
      (place) => installSkill(place, RULES, zipRequest("out", { "a.txt": "1" })),
      (place) => removeSkill(place, "out"),
      async (place, at) => {
        const states = await statesOf(place);
        const left = (await place.files.walk("skills")).length;
        expect([at, states, left]).toEqual("out" in Object(states) ? [at, { out: "installed" }, 2] : [at, {}, 0]);
      },
    );
  });

  test("packages of installs that never began are deleted an hour later", async () => {
    const { place } = placeOf("inst-orphan");
    await env.FILES.put("skills/packages/inst-orphan/lost", "x");
    place.now = () => Date.now() + 2 * 60 * 60 * 1000;
    await installSkill(place, RULES, zipRequest("any"));
    expect(await textsBelow("skills/packages/inst-orphan/")).toEqual({});
  });
});

describe("installed skills that change", () => {
  test("a changed skill is quarantined, verified file by file, and usable again once accepted", async () => {
    const { place, workspace } = placeOf("inst-tamper");
    await installSkill(place, RULES, zipRequest("tamper", { "a.txt": "aaaa", "b.txt": "b", "c.txt": "c" }));
    await env.FILES.put("agents/inst-tamper/workspace/skills/tamper/a.txt", "evil");
    await workspace.remove("skills/tamper/b.txt", { kind: "any" });
    await workspace.write("skills/tamper/d.txt", "d", { kind: "new" });
    expect(await quarantinedIn(place)).toEqual({
      "skills/tamper/SKILL.md": expect.stringContaining("`a.txt` was changed, `b.txt` is missing, `d.txt` was added."),
    });
    const { ok, files } = await verifySkill(place, "tamper");
    expect(ok).toBe(false);
    expect(Object.fromEntries(files.map(({ path, status }) => [path, status]))).toEqual({
      "SKILL.md": "ok",
      "a.txt": "changed",
      "b.txt": "missing",
      "c.txt": "ok",
      "d.txt": "added",
    });
    const { entry } = await acceptSkill(place, RULES, "tamper");
    expect(entry).toMatchObject({ modified: true, signature: { kind: "unsigned" } });
    expect(await quarantinedIn(place)).toEqual({});
    expect((await verifySkill(place, "tamper")).ok).toBe(true);
  });

  test("a file with the same bytes and another etag counts as unchanged", async () => {
    const { place } = placeOf("inst-etag");
    await installSkill(place, RULES, zipRequest("etag", { "a.txt": "a" }));
    const set = new Map(
      [...(await found(place))].map(([at, files]) => [at, files.map((file) => ({ ...file, etag: "other" }))]),
    );
    expect([...(await checkQuarantine(place, set, true)).reasons]).toEqual([]);
  });

  test("an installed skill is not trusted while the file store does not answer", async () => {
    const { place } = placeOf("inst-mute");
    await installSkill(place, RULES, zipRequest("mute"));
    const mute = placeOf("inst-mute", dyingBucket(0, "before").bucket).place;
    const { reasons, unanswered } = await checkQuarantine(mute, await found(place), true);
    expect([...reasons.keys()]).toEqual(["skills/mute/SKILL.md"]);
    expect(unanswered).toContain("could not be checked");
  });

  test("a skill nested in an installed one whose SKILL.md is gone is not trusted", async () => {
    const { place, workspace } = placeOf("inst-inner");
    await installSkill(place, RULES, zipRequest("inner"));
    await workspace.remove("skills/inner/SKILL.md", { kind: "any" });
    await workspace.write("skills/inner/sub/SKILL.md", skillText("evil"), { kind: "new" });
    expect(await quarantinedIn(place)).toEqual({
      "skills/inner/sub/SKILL.md": expect.stringContaining("SKILL.md is gone"),
    });
  });

  test("a changed skill is updated only with force, and its files are kept as versions", async () => {
    const { place, workspace } = placeOf("inst-edit");
    await installSkill(place, RULES, zipRequest("edit", { "a.txt": "1" }, { source: URL_SOURCE }));
    await workspace.write("skills/edit/a.txt", "mine", { kind: "any" });
    const newer = async () => ({ archive: zipRequest("edit", { "a.txt": "2" }).archive, source: URL_SOURCE });
    expect(await reasonOf(updateSkill(place, RULES, "edit", { force: false }, newer))).toBe("modified");
    expect((await textsBelow("agents/inst-edit/workspace/skills/"))["edit/a.txt"]).toBe("mine");
    expect((await updateSkill(place, RULES, "edit", { force: true }, newer)).outcome).toBe("updated");
    expect((await textsBelow("agents/inst-edit/workspace/skills/"))["edit/a.txt"]).toBe("2");
    expect(await place.files.versions("skills/edit/a.txt")).toHaveLength(2);
    expect((await updateSkill(place, RULES, "edit", { force: false }, newer)).outcome).toBe("current");
  });

  test("an uploaded skill cannot be updated, and one that is not installed is not found", async () => {
    const { place } = placeOf("inst-none");
    await installSkill(place, RULES, zipRequest("up"));
    const never = () => Promise.reject(new Error("nobody is to be asked"));
    expect(await reasonOf(updateSkill(place, RULES, "up", { force: false }, never))).toBe("no_source");
    expect(await reasonOf(removeSkill(place, "other"))).toBe("not_installed");
    expect(await reasonOf(removeSkill(place, "constructor"))).toBe("not_installed");
  });

  test("a removal deletes the files in the lock and reports the others", async () => {
    const { place, workspace } = placeOf("inst-rm");
    await installSkill(place, RULES, zipRequest("rm", { "a.txt": "1" }));
    await workspace.write("skills/rm/mine.md", "mine", { kind: "new" });
    expect((await removeSkill(place, "rm")).left).toEqual(["mine.md"]);
    expect(await textsBelow("agents/inst-rm/workspace/skills/")).toEqual({ "rm/mine.md": "mine" });
    expect(await statesOf(place)).toEqual({});
  });
});

describe("damaged locks", () => {
  test("a damaged lock is reported and kept, and none of its skills is trusted", async () => {
    const { place } = placeOf("inst-torn");
    await installSkill(place, RULES, zipRequest("torn"));
    await env.FILES.put("skills/locks/inst-torn.json", "{ torn");
    expect(await quarantinedIn(place)).toEqual({ "skills/torn/SKILL.md": expect.stringContaining("cannot be read") });
    expect(await reasonOf(installSkill(place, RULES, zipRequest("other")))).toBe("lock_damaged");
    expect(await textsBelow("skills/locks/inst-torn")).toEqual({ ".json": "{ torn" });
  });

  test("a damaged lock entry does not hide the others and is written back unchanged", async () => {
    const { place } = placeOf("inst-crack");
    await installSkill(place, RULES, zipRequest("good"));
    const lock = JSON.parse((await textsBelow("skills/locks/inst-crack"))[".json"]!);
    await env.FILES.put(
      "skills/locks/inst-crack.json",
      JSON.stringify({ ...lock, skills: { ...lock.skills, bad: { state: "?" } } }),
    );
    await place.files.write("skills/bad/SKILL.md", skillText("bad"), { kind: "new" });
    expect(await quarantinedIn(place)).toEqual({ "skills/bad/SKILL.md": expect.stringContaining("cannot be read") });
    await installSkill(place, RULES, zipRequest("more"));
    expect(JSON.parse((await textsBelow("skills/locks/inst-crack"))[".json"]!).skills.bad).toEqual({ state: "?" });
    await installSkill(place, RULES, zipRequest("bad", {}, { replace: true }));
    expect(await statesOf(place)).toEqual({ bad: "installed", good: "installed", more: "installed" });
  });
});

test("a managed skill is available to all agents and has its own lock", async () => {
  const { managed } = placeOf("inst-global");
  await installSkill(managed, RULES, zipRequest("global-one"));
  expect(Object.keys(await textsBelow("skills/managed/"))).toContain("global-one/SKILL.md");
  expect((await verifySkill(managed, "global-one")).ok).toBe(true);
  expect(Object.keys(await textsBelow("skills/locks/"))).toContain("_managed.json");
});
