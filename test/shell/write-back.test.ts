import { expect, test } from "vitest";
import { writeBack } from "../../src/shell/write-back.ts";

const BYTES = new TextEncoder().encode("new");

test("a command that is stopped while its files are stored stores no other file, and removes none", async () => {
  const stopping = new AbortController();
  const touched: string[] = [];
  const workspace = {
    read: () => Promise.reject(new Error("Nothing is read here.")),
    write: async (path: string) => {
      touched.push(path);
      stopping.abort(new Error("killed"));
      return { path, etag: "e", size: BYTES.length, modifiedAt: 0 };
    },
    remove: async (path: string) => void touched.push(path),
  };
  const file = (bytes: Uint8Array) => ({ kind: "file" as const, bytes, mode: 0o644, mtime: new Date(0) });
  const paths = Array.from({ length: 20 }, (_, at) => `${at}.txt`);
  const changes = {
    written: paths.map((path) => ({ path, file: file(BYTES), replaced: undefined })),
    removed: [],
    notes: [],
  };
  const mask = { mask: (text: string) => text, holds: () => false };
  const deps = { workspace, mask, labels: () => [], signal: stopping.signal } as unknown as Parameters<
    typeof writeBack
  >[1];
  await expect(writeBack(changes as unknown as Parameters<typeof writeBack>[0], deps)).rejects.toThrow("killed");
  expect(touched).toEqual(["0.txt"]);

  const removed = [{ path: "old.txt", stored: { etag: "e" } }];
  const onlyRemoved = { written: [], removed, notes: [] } as unknown as Parameters<typeof writeBack>[0];
  await expect(writeBack(onlyRemoved, deps)).rejects.toThrow("killed");
  expect(touched).toEqual(["0.txt"]);
});
