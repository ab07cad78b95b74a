import { describe, expect, test } from "vitest";
import { pdfFile } from "../extract/pdf-file.ts";
import { fileTools } from "./file-tools.ts";

const ANY = { kind: "any" } as const;

describe("read", () => {
  test("shows a text unchanged, however the model writes the path", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("memory/2026-11-21.md", "ran 5 km\n- 好\n", ANY);
    for (const path of [
      "memory/2026-11-21.md",
      "./memory/2026-11-21.md",
      "~/memory/2026-11-21.md",
      "/workspace/memory/2026-11-21.md",
    ]) {
      expect((await read({ path })).text).toBe("ran 5 km\n- 好");
    }
  });

  test("shows the requested lines and how to continue", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("a.txt", "1\r\n2\r\n3\r\n4\r\n5", ANY);
    expect((await read({ path: "a.txt", offset: 2, limit: 2 })).text).toBe(
      "2\n3\n\n[Lines 2 to 3 of 5. Read on with offset=4.]",
    );
    expect((await read({ path: "a.txt", offset: 4 })).text).toBe("4\n5");
    await expect(read({ path: "a.txt", offset: 6 })).rejects.toThrow("has 5 lines");
  });

  test("reads a long file in pages of 2,000 lines without gaps", async () => {
    const { workspace, read } = fileTools();
    const lines = Array.from({ length: 4_500 }, (_, i) => `line ${i + 1}`);
    await workspace.write("long.txt", lines.join("\n"), ANY);
    const pages: string[] = [];
    for (let offset = 1; offset <= lines.length; ) {
      const { text } = await read({ path: "long.txt", offset, limit: 100_000 });
      pages.push(text.replace(/\n\n\[.*\]$/, ""));
      offset = Number(/offset=(\d+)/.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
    }
    expect(pages).toHaveLength(3);
    expect(pages.join("\n")).toBe(lines.join("\n"));
  });

  test("stops at 50 KB between lines, and within a line that is longer", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("wide.txt", Array(100).fill("字".repeat(1_000)).join("\n"), ANY);
    const { text } = await read({ path: "wide.txt" });
    expect(text).toContain("[Lines 1 to 17 of 100. Read on with offset=18.]");
    await workspace.write("one.json", `${"字".repeat(40_000)}\nnext`, ANY);
    const cut = (await read({ path: "one.json" })).text;
    expect(
      cut.startsWith(
        `${"字".repeat(17_066)}\n\n[The first 51200 of the 120000 bytes of line 1. Read on with offset=2.]`,
      ),
    ).toBe(true);
    expect((await read({ path: "one.json", offset: 2 })).text).toBe("next");
  });

  test("reports a file that is empty, missing, a folder, or not text", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("empty.md", "", ANY);
    await workspace.write("data/x.bin", new Uint8Array([0xff, 0x00]), ANY);
    expect((await read({ path: "empty.md" })).text).toBe("(The file is empty.)");
    await expect(read({ path: "none.md" })).rejects.toThrow("There is no file `none.md`");
    await expect(read({ path: "data" })).rejects.toThrow("data is a folder");
    await expect(read({ path: "data/x.bin" })).rejects.toThrow("not text in UTF-8 (2 bytes)");
    await expect(read({ path: "../other/secret" })).rejects.toThrow("leave the workspace");
  });

  test("shows an image as an image, by its bytes and not by its name", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("cat.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]), ANY);
    await workspace.write("fake.png", "not an image", ANY);
    expect(await read({ path: "cat.png" })).toEqual({
      text: "cat.png is an image (image/png, 9 bytes).",
      images: [{ path: "cat.png", mediaType: "image/png" }],
    });
    expect(await read({ path: "fake.png" })).toEqual({ text: "not an image" });
  });

  test("shows the text of a PDF in parts, fenced and labelled as its author's", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("report.pdf", pdfFile(["Forty lanterns.", "Ignore this."]), ANY);
    const whole = await read({ path: "report.pdf" });
    expect(whole.text).toMatch(/<<<EXTERNAL[\s\S]*--- Page 1 ---\nForty lanterns\.\n\n--- Page 2 ---\nIgnore this\./);
    expect(whole.labels).toEqual(["file:report.pdf"]);
    const part = await read({ path: "report.pdf", offset: 2, limit: 1 });
    expect(part.text).toContain("Forty lanterns.\n\n[Lines 2 to 2 of 5.");
    expect(part.text).not.toContain("Ignore this");
    await workspace.write("broken.pdf", "%PDF-1.4 no more", ANY);
    await expect(read({ path: "broken.pdf" })).rejects.toThrow("The PDF is damaged.");
  });

  test("shows marked UTF-16, and control characters as symbols", async () => {
    const { workspace, read } = fileTools();
    await workspace.write("windows.txt", new Uint8Array([0xff, 0xfe, 0x60, 0x4f, 0x7d, 0x59]), ANY);
    await workspace.write("list.txt", "a\0b\0", ANY);
    await workspace.write("latin.txt", new Uint8Array([...new TextEncoder().encode("caf".repeat(9)), 0xe9]), ANY);
    expect((await read({ path: "windows.txt" })).text).toContain("你好");
    expect((await read({ path: "list.txt" })).text).toContain("a␀b␀");
    expect((await read({ path: "latin.txt" })).text).toContain("caf\ufffd");
  });

  test("refuses unknown arguments", async () => {
    const { read } = fileTools();
    await expect(read({ file: "a.md" })).rejects.toThrow();
    await expect(read({ path: "a.md", offset: 0 })).rejects.toThrow();
  });
});

describe("ls", () => {
  test("lists files with their size and folders with a slash", async () => {
    const { workspace, ls } = fileTools();
    for (const path of ["b.md", "memory/1.md", "memory/deep/2.md", "a.md"]) await workspace.write(path, "xyz", ANY);
    expect((await ls({})).text).toBe("a.md  3\nb.md  3\nmemory/");
    for (const path of ["memory", "memory/", "./memory", "~/memory"])
      expect((await ls({ path })).text).toBe("1.md  3\ndeep/");
    for (const path of [".", "~", "/workspace"]) expect((await ls({ path })).text).toContain("memory/");
  });

  test("reports an empty workspace and a missing folder", async () => {
    const { workspace, ls } = fileTools();
    expect((await ls({})).text).toBe("(The workspace is empty.)");
    await workspace.write("a.md", "x", ANY);
    await expect(ls({ path: "a.md" })).rejects.toThrow("no folder a.md, or it is a file");
  });

  test("shows 500 entries at most and says how many there are", async () => {
    const entries = Array.from({ length: 600 }, (_, i) => ({ kind: "folder", path: `f${i}` }) as const);
    const { ls } = fileTools({ list: async () => entries } as never);
    expect((await ls({})).text.split("\n").at(-1)).toBe("[The first 500 of 600 entries.]");
  });
});
