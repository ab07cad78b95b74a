import { deflateSync, gzipSync } from "fflate";
import { packTar } from "modern-tar";
import { describe, expect, test } from "vitest";
import { IsopodError } from "../../../src/lib/errors.ts";
import { pathFault } from "../../../src/lib/relative-path.ts";
import { unpackArchive } from "../../../src/skills/install/archive.ts";
import { MAX_EXPANDED_BYTES } from "../../../src/skills/install/refusal.ts";
import { bytesOf, joined, rawZip, skillText, tarGzOf, zipOf } from "./archives.ts";

const SKILL = bytesOf(skillText("weather"));

/** Why an archive is refused, and in which words. */
async function refusal(archive: Uint8Array): Promise<{ reason: string | undefined; message: string }> {
  try {
    await unpackArchive(archive);
  } catch (thrown) {
    if (!(thrown instanceof IsopodError)) throw thrown;
    return { reason: thrown.details.reason, message: thrown.message };
  }
  return { reason: undefined, message: "" };
}

const pathsIn = async (archive: Uint8Array) => (await unpackArchive(archive)).files.map(({ path }) => path);

describe("accepted archives", () => {
  test("a zip and a .tar.gz give the same files", async () => {
    const files = { "SKILL.md": SKILL, "scripts/run.sh": "echo 1\n", "empty.txt": "" };
    const [zip, tar] = await Promise.all([unpackArchive(zipOf(files)), unpackArchive(await tarGzOf(files))]);
    const told = ({ files }: typeof zip) =>
      files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]).sort();
    expect(told(zip)).toEqual(told(tar));
    expect(told(zip)).toContainEqual(["scripts/run.sh", "echo 1\n"]);
  });

  test("files that operating systems leave behind are skipped with a note", async () => {
    const zip = zipOf({ "SKILL.md": SKILL, "__MACOSX/._SKILL.md": "x", ".DS_Store": "x", "a/.git/config": "x" });
    const { files, notes } = await unpackArchive(zip);
    expect(files.map(({ path }) => path)).toEqual(["SKILL.md"]);
    expect(notes).toEqual([expect.stringMatching(/^3 files were left out/)]);
  });

  test("a nested archive is not unpacked", async () => {
    expect(await pathsIn(zipOf({ "SKILL.md": SKILL, "inner.zip": zipOf({ "../evil": "x" }) }))).toEqual([
      "SKILL.md",
      "inner.zip",
    ]);
  });

  test("a zip whose sizes follow the data is accepted", async () => {
    const behind = new Uint8Array(16);
    expect(await pathsIn(rawZip([{ name: "SKILL.md", data: SKILL, flags: 8, localSize: 0, behind }]))).toEqual([
      "SKILL.md",
    ]);
  });

  test("PAX long names are read, and accents are normalized to NFC", async () => {
    const long = `${"folder/".repeat(15)}${"n".repeat(120)}.md`;
    expect(await pathsIn(await tarGzOf({ [long]: "x", "cafe\u0301.md": "x" }))).toEqual([long, "caf\u00e9.md"]);
  });
});

describe("refused archives", () => {
  test.each([
    ["goes up", "../evil.sh"],
    ["goes up inside", "a/../../evil.sh"],
    ["is absolute", "/etc/passwd"],
    ["has a drive letter", "C:/evil.sh"],
    ["has backslashes", "a\\..\\evil.sh"],
    ["has a control character", "a\u0000b"],
    ["turns around", "a\u202eb"],
    ["has empty segments", "a//b"],
    ["has a dot segment", "a/./b"],
    ["is too long", "n".repeat(600)],
    ["is too deep", `${"d/".repeat(30)}x`],
    ["is no property", "__proto__/x"],
  ])("a path that %s is refused by zip and tar, by name", async (_, name) => {
    expect(await refusal(rawZip([{ name, data: SKILL }]))).toMatchObject({
      reason: "bad_path",
      message: /cannot be unpacked/,
    });
    const inTar = name.includes("\u0000") ? undefined : await refusal(await tarGzOf({ [name]: SKILL }));
    if (inTar !== undefined) expect(inTar.reason).toBe("bad_path");
  });

  test.each([
    ["twice", ["a.md", "a.md"]],
    ["in upper and lower case", ["a.md", "A.MD"]],
    ["with accents composed and not", ["caf\u00e9.md", "cafe\u0301.md"]],
    ["as a file and a folder", ["a", "a/b.md"]],
    ["as a folder and a file", ["A/b.md", "a"]],
  ])("an archive with one name %s is refused", async (_, names) => {
    const { reason, message } = await refusal(rawZip(names.map((name) => ({ name, data: SKILL }))));
    expect(reason).toBe("duplicate_name");
    expect(message).toContain("in each other's way");
    const entries = names.map((name) => ({ header: { name, size: 1, type: "file" as const }, body: "x" }));
    expect(await refusal(gzipSync(await packTar(entries)))).toMatchObject({ reason: "duplicate_name" });
  });

  test("an archive with links, devices or pipes is refused", async () => {
    expect(await refusal(rawZip([{ name: "evil", data: bytesOf("/etc/passwd"), unixMode: 0o120777 }]))).toMatchObject({
      reason: "link",
      message: "`evil` is a symbolic link.",
    });
    expect(await refusal(rawZip([{ name: "evil", data: SKILL, unixMode: 0o060600 }]))).toMatchObject({
      reason: "not_a_file",
    });
    for (const [type, reason] of [
      ["symlink", "link"],
      ["link", "link"],
      ["character-device", "not_a_file"],
      ["block-device", "not_a_file"],
      ["fifo", "not_a_file"],
    ] as const) {
      const archive = await tarGzOf({ "SKILL.md": SKILL }, [
        { header: { name: "evil", size: 0, type, linkname: "/etc/passwd" } },
      ]);
      expect([type, (await refusal(archive)).reason]).toEqual([type, reason]);
    }
  });

  test("an archive with names that are not UTF-8 is refused", async () => {
    const name = Uint8Array.from([0x61, 0xe9, 0x62]);
    expect(await refusal(rawZip([{ name, data: SKILL }]))).toMatchObject({ reason: "name_not_utf8" });
    const tar = await packTar([{ header: { name: "a?b", size: 1, type: "file" }, body: "x" }]);
    expect(await refusal(gzipSync(withTarName(tar, name)))).toMatchObject({ reason: "name_not_utf8" });
  });

  test("a zip that is encrypted, split, zip64 or not deflated is refused", async () => {
    expect(await refusal(rawZip([{ name: "a", data: SKILL, flags: 1 }]))).toMatchObject({ reason: "encrypted" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL, method: 12 }]))).toMatchObject({ reason: "zip_method" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL, size: 0xffffffff }]))).toMatchObject({ reason: "zip64" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL }], { count: 0xffff }))).toMatchObject({ reason: "zip64" });
  });

  test("a zip whose directory contradicts its entries is refused", async () => {
    expect(await refusal(rawZip([{ name: "good.md", localName: "evil.md", data: SKILL }]))).toMatchObject({
      reason: "zip_disagrees",
    });
    expect(await refusal(rawZip([{ name: "a", localSize: 1, data: SKILL }]))).toMatchObject({
      reason: "zip_disagrees",
    });
    expect(await refusal(rawZip([{ name: "a", data: SKILL, crc: 1 }]))).toMatchObject({ reason: "zip_damaged" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL, size: 3 }]))).toMatchObject({ reason: "zip_damaged" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL }], { count: 0 }))).toMatchObject({ reason: "zip_damaged" });
    expect(await refusal(rawZip([{ name: "a", data: SKILL }], { count: 2 }))).toMatchObject({ reason: "zip_damaged" });
  });

  test("a zip with overlapping entries or data between them is refused", async () => {
    const junk = bytesOf("#!/bin/sh\n");
    const twice = [
      { name: "a", data: SKILL },
      { name: "a", data: SKILL, offset: 0 },
    ];
    expect(await refusal(rawZip(twice))).toMatchObject({ reason: "zip_overlap" });
    expect(
      await refusal(rawZip([{ name: "a", data: SKILL, packedSize: SKILL.length + 5 }, { name: "b" }])),
    ).toMatchObject({
      reason: "zip_overlap",
    });
    expect(await refusal(rawZip([{ name: "a", data: SKILL, behind: junk }, { name: "b" }]))).toMatchObject({
      reason: "zip_overlap",
    });
    expect(await refusal(rawZip([{ name: "a", data: SKILL }], { after: junk }))).toMatchObject({
      reason: "zip_damaged",
    });
    const prefixed = joined([junk, rawZip([{ name: "a", data: SKILL }])]);
    expect(await refusal(prefixed)).toMatchObject({ reason: "not_an_archive" });
    expect(
      await refusal(joined([zipOf({ a: "x" }).subarray(0, 4), rawZip([{ name: "a", data: SKILL }])])),
    ).toMatchObject({
      reason: "zip_damaged",
    });
  });

  test("a zip bomb is stopped while it is unpacked, whatever size it declares", async () => {
    const zeros = new Uint8Array(30 * 1024 * 1024);
    const data = deflateSync(zeros, { level: 9 });
    const honest = rawZip([{ name: "bomb", data, plain: zeros, method: 8, crc: 0 }]);
    const lying = rawZip([{ name: "bomb", data, size: 10, crc: 0, method: 8 }]);
    expect(honest.length).toBeLessThan(100_000);
    expect(await refusal(honest)).toMatchObject({
      reason: "too_large",
      message: `Unpacking was stopped: \`bomb\` becomes more than ${MAX_EXPANDED_BYTES} bytes.`,
    });
    expect(await refusal(lying)).toMatchObject({
      reason: "too_large",
      message: "Unpacking was stopped: `bomb` becomes more than 10 bytes.",
    });
    expect(await refusal(gzipSync(zeros, { level: 9 }))).toMatchObject({ reason: "too_large" });
  });

  test("many files that exceed the limit together are stopped", async () => {
    const part = new Uint8Array(7 * 1024 * 1024);
    expect(await refusal(zipOf({ a: part, b: part, c: part }))).toMatchObject({ reason: "too_large", message: /`c`/ });
    expect(await refusal(await tarGzOf({ a: part, b: part, c: part }))).toMatchObject({ reason: "too_large" });
  });

  test("an archive with too many bytes or entries is refused", async () => {
    expect(await refusal(new Uint8Array(10 * 1024 * 1024 + 1))).toMatchObject({ reason: "too_large" });
    const many = Array.from({ length: 5001 }, (_, index) => ({ name: `f${index}` }));
    expect(await refusal(rawZip(many))).toMatchObject({ reason: "too_many_files" });
  });

  test("gzip with several members, trailing garbage or a missing end is refused", async () => {
    const whole = await tarGzOf({ "SKILL.md": SKILL });
    expect(await refusal(joined([whole, whole]))).toMatchObject({ reason: "gzip_members" });
    expect((await refusal(joined([whole, bytesOf("garbage")]))).reason).toMatch(/damaged/);
    for (let length = 2; length < whole.length; length++) {
      expect([length, (await refusal(whole.subarray(0, length))).reason]).toEqual([
        length,
        expect.stringMatching(/damaged/),
      ]);
    }
  });

  test("a truncated zip is refused", async () => {
    const whole = zipOf({ "SKILL.md": SKILL, "b.md": "b" });
    for (let length = 4; length < whole.length; length++) {
      expect([length, (await refusal(whole.subarray(0, length))).reason]).toEqual([length, "zip_damaged"]);
    }
  });

  test("a tar with a wrong checksum or trailing data is refused", async () => {
    const tar = await packTar([{ header: { name: "a.md", size: 1, type: "file" }, body: "x" }]);
    const wrong = tar.slice();
    wrong[0] = 0x62;
    expect(await refusal(gzipSync(wrong))).toMatchObject({ reason: "tar_damaged" });
    expect(await refusal(gzipSync(joined([tar, bytesOf("more".repeat(200))])))).toMatchObject({
      reason: "tar_damaged",
    });
    expect(await refusal(gzipSync(tar.subarray(0, 600)))).toMatchObject({ reason: "tar_damaged" });
  });

  test("bytes that are not an archive are refused, whatever their name", async () => {
    expect(await refusal(bytesOf("<!doctype html>"))).toMatchObject({ reason: "not_an_archive" });
    expect(await refusal(new Uint8Array())).toMatchObject({ reason: "not_an_archive" });
  });
});

test("random changes to an archive never yield paths or sizes outside the limits", async () => {
  const seeds = [
    zipOf({ "w/SKILL.md": SKILL, "w/a/b.md": "b" }),
    await tarGzOf({ "w/SKILL.md": SKILL, "w/a/b.md": "b" }),
  ];
  const random = lots(20261122);
  let opened = 0;
  for (let round = 0; round < 3000; round++) {
    const bytes = (seeds[round % seeds.length] ?? SKILL).slice();
    for (let changes = 1 + (random() % 3); changes > 0; changes--) bytes[random() % bytes.length] = random() % 256;
    try {
      const { files } = await unpackArchive(bytes);
      opened++;
      for (const { path, bytes } of files) {
        expect(pathFault(path, 512)).toBeUndefined();
        expect(bytes.length).toBeLessThanOrEqual(MAX_EXPANDED_BYTES);
      }
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(IsopodError);
    }
  }
  expect(opened).toBeGreaterThan(0);
});

/** Numbers that are the same each time. */
function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}

/** Gives the first entry another name of the same length, and the right checksum. */
function withTarName(tar: Uint8Array, name: Uint8Array): Uint8Array {
  const changed = tar.slice();
  changed.set(name, 0);
  changed.fill(32, 148, 156);
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  changed.set(bytesOf(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return changed;
}
