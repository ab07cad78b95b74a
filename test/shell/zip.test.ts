import { zipSync } from "fflate";
import type { ResolvedCommandContext } from "just-bash/browser";
import { expect, test } from "vitest";
import { unzip, zip } from "../../src/shell/zip.ts";

const MIB = 1024 * 1024;
/** Where a record of the central directory has its original size, and a record of this kind. */
const ORIGINAL_SIZE_AT = 24;
const CENTRAL_RECORD = 0x02014b50;

/** An archive of 20 MiB in 20 stored files, whose directory says that each has one byte. */
function lyingArchive(): Uint8Array {
  const files = Array.from({ length: 20 }, (_, at) => [`${at}.bin`, new Uint8Array(MIB)] as const);
  const archive = zipSync(Object.fromEntries(files), { level: 0 });
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  for (let at = 20 * MIB; at < archive.length - ORIGINAL_SIZE_AT; at++) {
    if (view.getUint32(at, true) === CENTRAL_RECORD) view.setUint32(at + ORIGINAL_SIZE_AT, 1, true);
  }
  return archive;
}

test.each([
  ["unzip", unzip, ["lie.zip"]],
  ["unzip -p", unzip, ["-p", "lie.zip"]],
  ["zip onto it", zip, ["lie.zip", "."]],
] as const)("%s refuses stored files that are larger than their archive says", async (_, program, args) => {
  const archive = lyingArchive();
  const fs = {
    resolvePath: (_cwd: string, path: string) => `/${path}`,
    exists: async () => true,
    readFileBuffer: async () => archive,
  };
  const context = { fs, cwd: "/" } as unknown as ResolvedCommandContext;
  const result = await program.execute([...args], context);
  expect(result.stderr).toContain("it holds more than 16 MB");
});
