import { gzipSync, zipSync } from "fflate";
import { packTar } from "modern-tar";
import { expect, test } from "vitest";
import { shellOver } from "./run-shell.ts";

const BYTES = Uint8Array.from({ length: 256 }, (_, at) => at);
const TREE = { "site/index.html": "<p>", "site/a/logo.bin": BYTES, "site/中文.md": "你好" };

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function tarOf(entries: { name: string; type?: "symlink"; linkname?: string }[]): Promise<Uint8Array> {
  return packTar(
    entries.map((header) => ({ header: { size: header.type ? 0 : 2, ...header }, body: header.type ? null : "hi" })),
  );
}

test("tar packs, lists and unpacks files with their bytes, names, folders and modes", async () => {
  const { run, workspace } = await shellOver(TREE);
  const result = await run(
    "chmod +x site/index.html; mkdir site/empty; tar -czf out.tgz site && tar tzf out.tgz && mkdir in && tar -C in -xzf out.tgz --strip-components=1 && stat -c %a in/index.html; ls -d in/empty",
  );
  expect(result.stderr).toBe("");
  expect(result.stdout).toBe(
    "site/\nsite/a/\nsite/a/logo.bin\nsite/empty/\nsite/index.html\nsite/中文.md\n755\nin/empty\n",
  );
  expect((await workspace.read("in/a/logo.bin")).bytes).toEqual(BYTES);
  expect(new TextDecoder().decode((await workspace.read("in/中文.md")).bytes)).toBe("你好");
});

test("tar works in a pipe, takes single files, prints one, and says what is not there", async () => {
  const { run, workspace } = await shellOver(TREE);
  await run("tar cz site | (mkdir piped; cd piped; tar xz site/a)");
  expect((await workspace.read("piped/site/a/logo.bin")).bytes).toEqual(BYTES);
  expect((await run("tar cf t.tar site; tar xOf t.tar site/index.html")).stdout).toBe("<p>");
  expect(await run("tar xf t.tar nowhere")).toMatchObject({
    exitCode: 2,
    stderr: "tar: nowhere: it is not in the archive\n",
  });
  expect(await run("tar xf missing.tar")).toMatchObject({ exitCode: 2 });
  expect(await run("tar xjf t.tar")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("-j") });
});

test("zip and unzip keep bytes and names, add to an archive, list, print, and leave what is there with -n", async () => {
  const { run, workspace } = await shellOver(TREE);
  expect(
    await run("zip -r out.zip site/a site/中文.md && zip -q out site/index.html && unzip -q out.zip -d in"),
  ).toMatchObject({
    stderr: "",
    exitCode: 0,
  });
  expect((await workspace.read("in/site/a/logo.bin")).bytes).toEqual(BYTES);
  expect(new TextDecoder().decode((await workspace.read("in/site/中文.md")).bytes)).toBe("你好");
  expect((await run("unzip -l out.zip site/index.html")).stdout).toBe("        3  site/index.html\n");
  expect((await run("unzip -p out.zip site/index.html")).stdout).toBe("<p>");
  expect(
    (await run("echo mine > in/site/index.html; unzip -n out.zip -d in; cat in/site/index.html")).stdout,
  ).toContain("mine");
});

test("an archive cannot write outside of its folder, and its links are left out", async () => {
  const tar = await tarOf([
    { name: "../up.txt" },
    { name: "/abs.txt" },
    { name: "a/../../up2.txt" },
    { name: "link", type: "symlink", linkname: "/etc" },
    { name: "ok.txt" },
  ]);
  const zip = zipSync({ "../up.txt": bytesOf("hi"), "/abs.txt": bytesOf("hi"), "fine.txt": bytesOf("hi") });
  const { run, paths } = await shellOver({ "bad.tar": tar, "bad.zip": zip });
  const result = await run("mkdir in; cd in; tar xf ../bad.tar; echo $?; unzip -q ../bad.zip; echo $?; ls / | sort");
  expect(result.stdout).toMatch(/^2\n2\n/);
  expect(result.stdout).not.toContain("abs");
  expect(result.stderr.match(/leads out/g)).toHaveLength(5);
  expect(result.stderr).toContain("link: it is no file");
  expect(await paths()).toEqual(["bad.tar", "bad.zip", "in/fine.txt", "in/ok.txt"]);
});

test("an archive that unpacks to too much is refused before it is unpacked", async () => {
  const zeros = new Uint8Array(17 * 1024 * 1024);
  const tar = await packTar([{ header: { name: "zeros", size: zeros.length }, body: zeros }]);
  const { run, paths } = await shellOver({
    "bomb.tgz": gzipSync(tar),
    "bomb.zip": zipSync({ zeros }),
    "x.gz": gzipSync(new Uint8Array(64 * 1024 * 1024)),
  });
  for (const command of ["tar xzf bomb.tgz", "unzip bomb.zip", "tar xzf x.gz"]) {
    expect(await run(command), command).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("more than 16 MB"),
    });
  }
  expect(await run("echo x > x.gz; tar xzf x.gz; unzip x.gz")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/tar: .*\nunzip: /),
  });
  expect(await paths()).not.toContain("zeros");
});

test("mktemp makes files and folders with free names, and realpath resolves paths", async () => {
  const { run } = await shellOver({ "a/b.txt": "x" });
  const made = await run(
    'd=$(mktemp -d); f=$(mktemp); g=$(mktemp "$d/x.XXXX"); echo hi > $f; cat $f; [ -d $d ] && [ -f $g ] && echo both; [ $f != $(mktemp) ] && echo other',
  );
  expect(made).toMatchObject({ stdout: "hi\nboth\nother\n", stderr: "" });
  expect((await run("cd a; ln -s b.txt c; realpath c ../a/./b.txt; realpath -m ../no; realpath no")).stdout).toBe(
    "/workspace/a/b.txt\n/workspace/a/b.txt\n/workspace/no\n",
  );
});
