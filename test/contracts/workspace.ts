import { beforeEach, describe, expect, test } from "vitest";
import { MAX_FILE_BYTES, type Workspace, WorkspaceError } from "../../src/workspace/workspace.ts";

const ANY = { kind: "any" } as const;
const NEW = { kind: "new" } as const;

function over(etag: string) {
  return { kind: "etag", etag } as const;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => "nothing was thrown",
    (thrown) => thrown,
  );
  expect(outcome).toBeInstanceOf(WorkspaceError);
  return (outcome as WorkspaceError).code;
}

/** What every workspace does. `open` gives an empty one each time, as two who work on it have it. */
export function workspaceContract(name: string, open: () => readonly [Workspace, Workspace]): void {
  describe(`${name} keeps the contract of a workspace`, () => {
    let workspace: Workspace;
    let other: Workspace;
    beforeEach(() => {
      [workspace, other] = open();
    });

    async function contentOf(path: string): Promise<string> {
      return text((await workspace.read(path)).bytes);
    }

    async function versionTexts(path: string): Promise<string[]> {
      const here = await workspace.versions(path);
      const texts: string[] = [];
      for (const version of here) {
        await workspace.restore(path, version.versionId);
        texts.push(await contentOf(path));
      }
      return texts;
    }

    describe("reading and writing", () => {
      test("what was written is read back with its etag, size and time", async () => {
        const before = Date.now();
        const written = await workspace.write("memory/2026-11-21.md", "ran 5 km\n", NEW);
        const read = await workspace.read("memory/2026-11-21.md");
        expect(text(read.bytes)).toBe("ran 5 km\n");
        expect(read.offset).toBe(0);
        expect(read.file).toEqual(written);
        expect(written).toMatchObject({ kind: "file", path: "memory/2026-11-21.md", size: 9 });
        expect(written.modifiedAt).toBeGreaterThan(before - 5_000);
        expect(written.etag).not.toContain('"');
        expect(await workspace.stat("memory/2026-11-21.md")).toEqual(written);
      });

      test("bytes come back as they are", async () => {
        const bytes = new Uint8Array([0, 255, 254, 10, 13, 0]);
        await workspace.write("photo.png", bytes, ANY);
        expect((await workspace.read("photo.png")).bytes).toEqual(bytes);
      });

      test("an empty file is a file", async () => {
        await workspace.write("empty.md", "", NEW);
        expect((await workspace.read("empty.md")).bytes).toHaveLength(0);
        expect(await workspace.list("")).toMatchObject([{ path: "empty.md", size: 0 }]);
      });

      test("names in any script and with spaces are names", async () => {
        await workspace.write("memory/日记 – día 1 (копия).md", "好", NEW);
        expect(await contentOf("memory/日记 – día 1 (копия).md")).toBe("好");
        expect((await workspace.list("memory")).map((entry) => entry.path)).toEqual(["memory/日记 – día 1 (копия).md"]);
      });

      test("a file that is not there is `not_found` for every verb that needs it", async () => {
        expect(await codeOf(workspace.read("nothing.md"))).toBe("not_found");
        expect(await codeOf(workspace.read("nothing.md", { offset: 0 }))).toBe("not_found");
        expect(await codeOf(workspace.stat("nothing.md"))).toBe("not_found");
        expect(await codeOf(workspace.remove("nothing.md", ANY))).toBe("not_found");
        expect(await codeOf(workspace.remove("nothing.md", over("0")))).toBe("not_found");
        expect(await codeOf(workspace.restore("nothing.md", "ver_1"))).toBe("not_found");
        expect(await workspace.versions("nothing.md")).toEqual([]);
      });

      test("the limit of a file's size is exact", async () => {
        const most = new Uint8Array(MAX_FILE_BYTES);
        expect((await workspace.write("most.bin", most, NEW)).size).toBe(MAX_FILE_BYTES);
        expect(await codeOf(workspace.write("more.bin", new Uint8Array(MAX_FILE_BYTES + 1), NEW))).toBe("too_large");
        expect(await workspace.list("")).toHaveLength(1);
      });

      test("a path that leaves the workspace, or is none, is refused by every verb", async () => {
        for (const path of [
          "../secrets.md",
          "a/../../b",
          "/etc/passwd",
          "a//b",
          "./a",
          "a/",
          "",
          "a\u0000b",
          "a\u202eb",
        ]) {
          expect(await codeOf(workspace.read(path))).toBe("bad_path");
          expect(await codeOf(workspace.write(path, "x", ANY))).toBe("bad_path");
          expect(await codeOf(workspace.remove(path, ANY))).toBe("bad_path");
          expect(await codeOf(workspace.versions(path))).toBe("bad_path");
          expect(await codeOf(workspace.restore(path, "ver_1"))).toBe("bad_path");
        }
        expect(await codeOf(workspace.list("../other"))).toBe("bad_path");
        expect(await codeOf(workspace.walk("/"))).toBe("bad_path");
      });
    });

    describe("ranges", () => {
      beforeEach(async () => {
        await workspace.write("alphabet.txt", "abcdefghij", NEW);
      });

      test("give the part that was asked for, cut at the end of the file", async () => {
        const cases = [
          [{ offset: 2, length: 3 }, "cde", 2],
          [{ offset: 8, length: 100 }, "ij", 8],
          [{ offset: 7 }, "hij", 7],
          [{ suffix: 4 }, "ghij", 6],
          [{ suffix: 100 }, "abcdefghij", 0],
        ] as const;
        for (const [range, expected, offset] of cases) {
          const read = await workspace.read("alphabet.txt", range);
          expect([text(read.bytes), read.offset, read.file.size]).toEqual([expected, offset, 10]);
        }
      });

      test("that hold nothing are `bad_range`", async () => {
        for (const range of [
          { offset: 10 },
          { offset: 10, length: 5 },
          { offset: 99 },
          { suffix: 0 },
          { offset: 2, length: 0 },
        ]) {
          expect(await codeOf(workspace.read("alphabet.txt", range))).toBe("bad_range");
        }
        await workspace.write("empty.txt", "", NEW);
        expect(await codeOf(workspace.read("empty.txt", { suffix: 5 }))).toBe("bad_range");
      });
    });

    describe("expectations", () => {
      test("`new` creates, and never overwrites", async () => {
        await workspace.write("SOUL.md", "kind", NEW);
        expect(await codeOf(workspace.write("SOUL.md", "cruel", NEW))).toBe("conflict");
        expect(await contentOf("SOUL.md")).toBe("kind");
        expect(await workspace.versions("SOUL.md")).toEqual([]);
      });

      test("an etag overwrites that version and no other", async () => {
        const first = await workspace.write("SOUL.md", "one", NEW);
        const second = await workspace.write("SOUL.md", "two", over(first.etag));
        expect(second.etag).not.toBe(first.etag);
        expect(await codeOf(workspace.write("SOUL.md", "three", over(first.etag)))).toBe("conflict");
        expect(await contentOf("SOUL.md")).toBe("two");
      });

      test("an etag of a file that was deleted is a conflict, not a new file", async () => {
        const first = await workspace.write("SOUL.md", "one", NEW);
        await workspace.remove("SOUL.md", ANY);
        expect(await codeOf(workspace.write("SOUL.md", "two", over(first.etag)))).toBe("conflict");
        expect(await workspace.list("")).toEqual([]);
      });

      test("of two writers who read the same version one wins, and the other hears of it", async () => {
        const base = await workspace.write("list.md", "base", NEW);
        const outcomes = await Promise.allSettled([
          workspace.write("list.md", "from A", over(base.etag)),
          other.write("list.md", "from B", over(base.etag)),
        ]);
        expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
        const winner = outcomes[0]?.status === "fulfilled" ? "from A" : "from B";
        expect(await contentOf("list.md")).toBe(winner);
        expect(await workspace.versions("list.md")).toHaveLength(1);
        expect(await versionTexts("list.md")).toEqual(["base"]);
      });

      test("of two who create the same file one wins", async () => {
        const outcomes = await Promise.allSettled([
          workspace.write("new.md", "A", NEW),
          other.write("new.md", "B", NEW),
        ]);
        expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
        expect(await workspace.versions("new.md")).toEqual([]);
      });

      test("writers who expect nothing all get through, and what each replaced is kept", async () => {
        await workspace.write("log.md", "0", NEW);
        await Promise.all([
          ...["1", "2"].map((content) => workspace.write("log.md", content, ANY)),
          other.write("log.md", "3", ANY),
        ]);
        const last = await contentOf("log.md");
        const kept = await versionTexts("log.md");
        expect([...kept, last].sort()).toEqual(["0", "1", "2", "3"]);
      });

      test("writing what is there already changes nothing and makes no version", async () => {
        const first = await workspace.write("same.md", "same", NEW);
        expect(await workspace.write("same.md", "same", ANY)).toEqual(first);
        expect(await workspace.write("same.md", "same", over(first.etag))).toEqual(first);
        expect(await workspace.versions("same.md")).toEqual([]);
      });
    });

    describe("deleting", () => {
      test("takes the file away and keeps its last version", async () => {
        await workspace.write("BOOTSTRAP.md", "who am I?", NEW);
        await workspace.remove("BOOTSTRAP.md", ANY);
        expect(await codeOf(workspace.read("BOOTSTRAP.md"))).toBe("not_found");
        expect(await codeOf(workspace.remove("BOOTSTRAP.md", ANY))).toBe("not_found");
        expect(await workspace.list("")).toEqual([]);
        const [version] = await workspace.versions("BOOTSTRAP.md");
        await workspace.restore("BOOTSTRAP.md", version!.versionId);
        expect(await contentOf("BOOTSTRAP.md")).toBe("who am I?");
      });

      test("honours the etag", async () => {
        const first = await workspace.write("a.md", "one", NEW);
        const second = await workspace.write("a.md", "two", ANY);
        expect(await codeOf(workspace.remove("a.md", over(first.etag)))).toBe("conflict");
        expect(await codeOf(workspace.remove("a.md", NEW))).toBe("conflict");
        expect(await contentOf("a.md")).toBe("two");
        await workspace.remove("a.md", over(second.etag));
        expect(await workspace.list("")).toEqual([]);
      });

      test("a name is free again afterwards", async () => {
        await workspace.write("a.md", "one", NEW);
        await workspace.remove("a.md", ANY);
        await workspace.write("a.md", "two", NEW);
        expect(await contentOf("a.md")).toBe("two");
      });

      test("loses no write that comes between", async () => {
        for (let round = 0; round < 10; round++) {
          const path = `race-${round}.md`;
          const base = await workspace.write(path, "base", NEW);
          const [removed, written] = await Promise.allSettled([
            workspace.remove(path, over(base.etag)),
            other.write(path, "precious", over(base.etag)),
          ]);
          expect([removed.status, written.status].sort()).toEqual(["fulfilled", "rejected"]);
          if (written.status === "fulfilled") expect(await contentOf(path)).toBe("precious");
          else expect(await codeOf(workspace.read(path))).toBe("not_found");
        }
      });
    });

    describe("versions", () => {
      test("are listed newest first, with size and time", async () => {
        for (const content of ["1", "22", "333"]) await workspace.write("a.md", content, ANY);
        const versions = await workspace.versions("a.md");
        expect(versions.map((version) => version.size)).toEqual([2, 1]);
        expect(versions[0]!.replacedAt).toBeGreaterThanOrEqual(versions[1]!.replacedAt);
      });

      test("restoring keeps the version that it replaces", async () => {
        await workspace.write("a.md", "good", NEW);
        await workspace.write("a.md", "bad", ANY);
        const [good] = await workspace.versions("a.md");
        const restored = await workspace.restore("a.md", good!.versionId);
        expect(await contentOf("a.md")).toBe("good");
        expect(restored).toEqual(await workspace.stat("a.md"));
        expect((await versionTexts("a.md")).sort()).toContain("bad");
      });

      test("are restored over what was expected and over nothing else", async () => {
        const good = await workspace.write("a.md", "good", NEW);
        const bad = await workspace.write("a.md", "bad", ANY);
        const [version] = await workspace.versions("a.md");
        const { versionId } = version!;
        expect(await codeOf(workspace.restore("a.md", versionId, over(good.etag)))).toBe("conflict");
        expect(await codeOf(workspace.restore("a.md", versionId, NEW))).toBe("conflict");
        expect(await contentOf("a.md")).toBe("bad");
        await workspace.restore("a.md", versionId, over(bad.etag));
        expect(await contentOf("a.md")).toBe("good");
        await workspace.remove("a.md", ANY);
        await workspace.restore("a.md", versionId, NEW);
        expect(await contentOf("a.md")).toBe("good");
      });

      test("are read without being restored", async () => {
        const first = await workspace.write("a.md", "one", NEW);
        await workspace.write("a.md", "two", ANY);
        const [version] = await workspace.versions("a.md");
        const read = await workspace.readVersion("a.md", version!.versionId);
        expect(text(read.bytes)).toBe("one");
        expect(read.file).toMatchObject({ path: "a.md", size: 3, etag: first.etag, modifiedAt: version!.replacedAt });
        expect(await contentOf("a.md")).toBe("two");
        for (const id of ["", "../a.md/x", "no-such", "x".repeat(500)]) {
          expect(await codeOf(workspace.readVersion("a.md", id))).toBe("not_found");
        }
      });

      test("tell which files were replaced, and which of them are gone", async () => {
        const long = `${"文".repeat(300)}.md`;
        for (const path of ["b.md", "memory/a.md", "memory", "50%~.md", long, "new.md"]) {
          await workspace.write(path, "one", NEW);
          if (path !== "new.md") await workspace.write(path, "three", ANY);
        }
        await workspace.remove("memory", ANY);
        await workspace.remove(long, ANY);
        const { files, next } = await workspace.replaced();
        const told = files.map(({ path, deleted, versions, newest }) => [path, deleted, versions, newest.size]);
        expect(next).toBeUndefined();
        expect(told.sort()).toEqual([
          ["50%~.md", false, 1, 3],
          ["b.md", false, 1, 3],
          ["memory", true, 2, 5],
          ["memory/a.md", false, 1, 3],
          [long, true, 2, 5],
        ]);
        await workspace.restore("memory", files.find(({ path }) => path === "memory")!.newest.versionId);
        expect(await contentOf("memory")).toBe("three");
      });

      test("of one file are not those of another whose name looks alike", async () => {
        for (const path of ["a", "a/b", "a%2Fb", "a/b/c"]) {
          await workspace.write(path, `${path} one`, NEW);
          await workspace.write(path, `${path} two`, ANY);
        }
        for (const path of ["a", "a/b", "a%2Fb", "a/b/c"]) {
          expect(await versionTexts(path)).toEqual([`${path} one`]);
        }
      });

      test("an id that is none is `not_found`", async () => {
        await workspace.write("a.md", "one", NEW);
        for (const id of ["", "../a.md/x", "no-such", "x".repeat(500)]) {
          expect(await codeOf(workspace.restore("a.md", id))).toBe("not_found");
        }
      });

      test("are no files of the workspace", async () => {
        await workspace.write("a.md", "one", NEW);
        await workspace.write("a.md", "two", ANY);
        expect((await workspace.walk("")).map((file) => file.path)).toEqual(["a.md"]);
      });
    });

    describe("names with accents, which can be written in two ways", () => {
      const composed = "diario/jalapen\u0303o.md".normalize("NFC");
      const decomposed = composed.normalize("NFD");

      test("are one name: either finds the file, and goes on with it as it is spelt", async () => {
        for (const [there, named] of [
          [composed, decomposed],
          [decomposed, composed],
        ] as const) {
          const [one] = open();
          const file = await one.write(there, "hot", NEW);
          expect(text((await one.read(named)).bytes)).toBe("hot");
          expect(await one.stat(named)).toEqual(file);
          expect(await codeOf(one.write(named, "mild", NEW))).toBe("conflict");
          await one.write(named, "mild", over(file.etag));
          expect((await one.walk("")).map(({ path }) => path)).toEqual([file.path]);
          expect(await one.versions(there)).toEqual(await one.versions(named));
          expect(await one.versions(named)).toHaveLength(1);
          await one.remove(named, ANY);
          expect(await one.walk("")).toEqual([]);
          expect((await one.replaced()).files).toMatchObject([{ path: composed, deleted: true }]);
        }
      });

      test("are composed where the file is new", async () => {
        expect((await workspace.write(decomposed, "hot", NEW)).path).toBe(composed);
        expect((await workspace.list("diario")).map(({ path }) => path)).toEqual([composed]);
      });
    });

    describe("listing", () => {
      beforeEach(async () => {
        for (const path of [
          "b.md",
          "a.md",
          "memory/1.md",
          "memory/deep/2.md",
          "memory-old.md",
          ".openclaw/state.json",
        ]) {
          await workspace.write(path, path, NEW);
        }
      });

      test("a folder shows its files and folders, by name, and nothing below", async () => {
        const paths = (await workspace.list("")).map((entry) => `${entry.kind} ${entry.path}`);
        expect(paths).toEqual(["folder .openclaw", "file a.md", "file b.md", "folder memory", "file memory-old.md"]);
        expect((await workspace.list("memory")).map((entry) => entry.path)).toEqual(["memory/1.md", "memory/deep"]);
        expect(await workspace.list("memory/")).toEqual(await workspace.list("memory"));
      });

      test("a walk shows every file below, by path", async () => {
        expect((await workspace.walk("memory")).map((file) => file.path)).toEqual(["memory/1.md", "memory/deep/2.md"]);
        expect(await workspace.walk("")).toHaveLength(6);
      });

      test("an entry has the etag with which the file can be overwritten", async () => {
        const entry = (await workspace.list("")).find((one) => one.path === "a.md");
        expect(entry?.kind === "file" && (await workspace.write("a.md", "new", over(entry.etag))).size).toBe(3);
      });

      test("a folder that is not there is empty", async () => {
        expect(await workspace.list("nowhere")).toEqual([]);
        expect(await workspace.walk("nowhere")).toEqual([]);
      });
    });
  });
}
