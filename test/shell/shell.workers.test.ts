import { expect, test } from "vitest";
import { createMask } from "../../src/security/mask.ts";
import type { ShellResult } from "../../src/shell/shell.ts";
import { watchWorkspace } from "../workspace/open-workspace.ts";
import { shellOver } from "./run-shell.ts";

const changed = ({ written, removed, conflicts }: ShellResult) => ({
  written: written.map(({ path }) => path),
  removed,
  conflicts,
});
const UNCHANGED = { written: [], removed: [], conflicts: [] };

test("pipes, globs, heredocs, jq, awk, sed -i, find and grep -r work over the workspace", async () => {
  const { run, textOf } = await shellOver({
    "notes/a.md": "alpha\nbeta\n",
    "notes/b.md": "gamma\n",
    "data.json": '{"items":[{"n":1},{"n":2}]}',
  });
  expect((await run("cat notes/*.md | tr a-z A-Z | sort -r")).stdout).toBe("GAMMA\nBETA\nALPHA\n");
  expect((await run("jq '[.items[].n] | add' data.json")).stdout).toBe("3\n");
  expect((await run("awk '{ print NR \": \" $1 }' notes/a.md")).stdout).toBe("1: alpha\n2: beta\n");
  expect((await run("find . -name '*.md' | sort")).stdout).toBe("./notes/a.md\n./notes/b.md\n");
  expect((await run("grep -rn gamma .")).stdout).toBe("notes/b.md:1:gamma\n");
  const wrote = await run(
    "sed -i s/alpha/ALPHA/ notes/a.md\ncat <<EOF > made.txt\n  in $HOME\nEOF\necho more >> made.txt",
  );
  expect(changed(wrote)).toEqual({ ...UNCHANGED, written: ["made.txt", "notes/a.md"] });
  expect(await textOf("notes/a.md")).toBe("ALPHA\nbeta\n");
  expect(await textOf("made.txt")).toBe("  in /workspace\nmore\n");
});

test("files that a script moves, copies and removes change in the store, and versions are kept", async () => {
  const { run, textOf, paths, workspace } = await shellOver({
    "a/1.txt": "one",
    "a/2.txt": "two",
    "gone.txt": "three",
  });
  const result = await run("mv a b && cp -r b c && rm -r b/2.txt gone.txt && mkdir empty");
  expect(changed(result)).toEqual({
    ...UNCHANGED,
    written: ["b/1.txt", "c/1.txt", "c/2.txt"],
    removed: ["a/1.txt", "a/2.txt", "gone.txt"],
  });
  expect(await paths()).toEqual(["b/1.txt", "c/1.txt", "c/2.txt"]);
  expect(await textOf("c/2.txt")).toBe("two");
  expect(await workspace.versions("gone.txt")).toHaveLength(1);
});

test("bytes, CRLF and Chinese names and text survive a script unchanged", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const long = `${"x".repeat(9000)}中文`;
  const { run, textOf, workspace } = await shellOver({ "b.bin": bytes, "crlf.txt": "a\r\nb\r\n", "长.txt": long });
  const script =
    "cp b.bin c.bin; cat b.bin > d.bin; cat crlf.txt > crlf2.txt; cat 长.txt > 旅行计划.txt; echo 第一天 >> 旅行计划.txt";
  expect((await run(`${script}; gzip -k b.bin; zcat b.bin.gz > e.bin`)).stderr).toBe("");
  for (const path of ["c.bin", "d.bin", "e.bin"]) expect((await workspace.read(path)).bytes).toEqual(bytes);
  expect(await textOf("crlf2.txt")).toBe("a\r\nb\r\n");
  expect(await textOf("旅行计划.txt")).toBe(`${long}第一天\n`);
  expect((await run("grep -c 第一天 旅行计划.txt; wc -c < crlf.txt")).stdout).toBe("1\n6\n");
});

test("variables that a script reads are text in every script and at every end of input", async () => {
  const { run, textOf } = await shellOver({ "日记.md": "今天\n天气 很好 é\n", "tail.txt": "没有换行" });
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is bash
  await run('while IFS= read -r line; do echo "行：$line ${#line}" >> out.md; done < 日记.md');
  expect(await textOf("out.md")).toBe("行：今天 2\n行：天气 很好 é 7\n");
  const printed = async (script: string) => (await run(script)).stdout;
  expect(await printed('cat 日记.md | while read -r a b; do echo "$a｜$b"; done')).toBe("今天｜\n天气｜很好 é\n");
  expect(await printed('mapfile -t lines < 日记.md; echo "${#lines[@]} ${#lines[0]} ${lines[1]}"')).toBe(
    "2 2 天气 很好 é\n",
  );
  expect(await printed('read -ra words <<< "甲 乙"; echo "${words[1]}${#words[1]}"')).toBe("乙1\n");
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is bash
  expect(await printed('f() { local x; read -r x <<< 乙; [ "$x" = 乙 ] && echo same; }; x=甲; f; echo $x')).toBe(
    "same\n甲\n",
  );
  expect(await printed('read <<< "甲 乙"; echo "得到 $REPLY"; x=$(read y <<< 丙; echo "$y"); echo $x')).toBe(
    "得到 甲 乙\n丙\n",
  );
  expect(
    await printed('set -e; read -r x < tail.txt || echo "$? $x"; if ! read y < /dev/null; then echo none; fi'),
  ).toBe("1 没有换行\nnone\n");
  await run('cat > s.sh <<\'EOF\'\nread x <<< "$1"\necho "got $x"\nEOF');
  expect(await printed("bash s.sh 中文; bash s.sh 再来")).toBe("got 中文\ngot 再来\n");
  expect(await printed("printf '\\xff\\xfe' > raw; read -r x < raw; echo ok; echo é > e; read -r x < e; echo $x")).toBe(
    "ok\né\n",
  );
});

test("composed and decomposed accents name one file", async () => {
  const { run, paths } = await shellOver({ "caf\u00e9.txt": "one\n" });
  expect((await run("cat cafe\u0301.txt; echo two >> cafe\u0301.txt")).stdout).toBe("one\n");
  expect(await paths()).toEqual(["caf\u00e9.txt"]);
});

test("a script that accesses no file makes no store request, and one that reads two files reads two", async () => {
  const { workspace, calls } = watchWorkspace();
  const { run } = await shellOver({ "a.txt": "1", "b.txt": "2", "c/d.txt": "3" }, { workspace });
  calls.splice(0);
  await run("echo hi; date; seq 3 | sort; [[ -d /workspace ]]");
  expect(calls).toEqual([]);
  await run("ls -l; find . -type f; du -a; cat a.txt b.txt a.txt > /dev/null; touch c/d.txt");
  expect(calls.map((call) => call.split(" ")[0])).toEqual(["list", "get", "get"]);
});

test("a file that changed during a script is not overwritten, and nothing is removed then", async () => {
  const { run, textOf, workspace, paths } = await shellOver({ "a.txt": "mine", "b.txt": "keep" });
  const fetch = async () => {
    await workspace.write("a.txt", "theirs", { kind: "any" });
    await workspace.write("new.txt", "theirs", { kind: "any" });
    return { status: 200, statusText: "OK", headers: {}, body: new Uint8Array(), url: "https://example.com/" };
  };
  const other = await shellOver({}, { workspace, fetch });
  const result = await other.run(
    "cat a.txt; curl -s https://example.com; echo x > a.txt; echo y > new.txt; mv b.txt c.txt",
  );
  expect(changed(result)).toEqual({
    written: ["c.txt"],
    removed: [],
    conflicts: [
      expect.stringMatching(/^a\.txt was not written: somebody else changed/),
      expect.stringMatching(/^new\.txt was not written: somebody else/),
      "Not removed, because not everything could be written: b.txt",
    ],
  });
  expect(await textOf("a.txt")).toBe("theirs");
  expect(await paths()).toContain("b.txt");
  expect(changed(await run("rm b.txt"))).toEqual({ ...UNCHANGED, removed: ["b.txt"] });
});

test("a failing script keeps what it wrote", async () => {
  const { run, textOf } = await shellOver();
  const result = await run("set -e; echo one > a.txt; false; echo two > b.txt");
  expect(result.exitCode).toBe(1);
  expect(changed(result)).toEqual({ ...UNCHANGED, written: ["a.txt"] });
  expect(await textOf("a.txt")).toBe("one\n");
});

test("a script that times out keeps what it wrote, except files that it had only emptied", async () => {
  const { run, textOf } = await shellOver({ "kept.txt": "whole" });
  const result = await run("echo begun; echo one > a.txt; sleep 60 > kept.txt; echo two > b.txt", { timeoutMs: 300 });
  expect(result).toMatchObject({ exitCode: 124, stopped: expect.stringContaining("after 0.3 s") });
  expect(changed(result)).toMatchObject({ written: ["a.txt"], conflicts: [expect.stringMatching(/^kept\.txt stays/)] });
  expect(await textOf("kept.txt")).toBe("whole");
});

test("a script that times out without ever waiting keeps no file that it had only emptied", async () => {
  const { run, textOf } = await shellOver({ "kept.txt": "old" });
  const endless =
    "s=$(printf '%1000000s' x); for ((i = 0; i < 20000; i++)); do c=$s; d=$s[i]; [[ $s == *y* ]]; done > kept.txt";
  const result = await run(endless, { timeoutMs: 200 });
  expect(result).toMatchObject({ exitCode: 124, stopped: expect.stringMatching(/stopped after 0.2 s/), written: [] });
  expect(await textOf("kept.txt")).toBe("old");
});

test("an aborted script writes nothing", async () => {
  const { run, paths } = await shellOver({ "a.txt": "1" });
  const off = new AbortController();
  setTimeout(() => off.abort(new Error("stopped by /stop")), 200);
  await expect(run("echo 2 > a.txt; echo 3 > b.txt; sleep 60", { signal: off.signal })).rejects.toThrow("by /stop");
  expect(await paths()).toEqual(["a.txt"]);
  await expect(run("echo 4 > c.txt", { signal: off.signal })).rejects.toThrow("by /stop");
});

test("skill folders in the shell are read-only, listed on first access, and cannot be escaped", async () => {
  let lists = 0;
  const files: Record<string, string> = { "weather/SKILL.md": "# Weather\n", "weather/run.sh": "echo sunny in $1\n" };
  const mount = {
    mount: "/skills/managed/",
    list: async () => {
      lists++;
      return Object.keys(files).map((path) => ({ path, etag: path, size: 10 }));
    },
    read: async (path: string) => new TextEncoder().encode(files[path]),
  };
  const { run, paths } = await shellOver({ "a.txt": "1" }, { mounts: [mount] });
  await run("cat a.txt");
  expect(lists).toBe(0);
  expect((await run("bash /skills/managed/weather/run.sh Rome")).stdout).toBe("sunny in Rome\n");
  expect((await run("cd /skills/managed/weather && . ./run.sh Bern && cat ../../../workspace/a.txt")).stdout).toBe(
    "sunny in Bern\n1",
  );
  const result = await run(
    "echo x > /skills/managed/weather/SKILL.md; rm -rf /skills/managed; mv /skills/managed/weather w; ln -s /skills/managed l; echo y > l/z; cat l/weather/SKILL.md",
  );
  expect(result.stdout).toBe("# Weather\n");
  expect(result.stderr).toContain("EROFS");
  expect(changed(result)).toEqual({
    ...UNCHANGED,
    conflicts: [
      "l is a link; links are gone after the run.",
      "/skills/managed/weather/SKILL.md was not written: it is read-only.",
      "/skills/managed/z was not written: it is read-only.",
    ],
  });
  expect(await paths()).toEqual(["a.txt"]);
});

test("files written outside the workspace are reported as lost, except in /tmp", async () => {
  const { run } = await shellOver();
  const first = await run("echo a > /tmp/a; mkdir -p /data; echo b > /data/b; cat /tmp/a /data/b");
  expect(first.stdout).toBe("a\nb\n");
  expect(first.conflicts).toEqual(["Only /workspace is kept, so these are gone: /data/b"]);
  expect((await run("ls /tmp /data 2>&1")).stdout).not.toMatch(/\ba\b|b$/);
});

test("a script finds nothing of the host machine", async () => {
  const { run } = await shellOver({ "a.txt": "1" });
  const result = await run(
    "cat /proc/self/environ /proc/1/status /etc/passwd /dev/sda ../../../etc/shadow; ls -a / ..; cat /workspace/../../skills/../proc/version; env",
  );
  expect(result.stdout).not.toMatch(/root:|Linux|ISOPOD/);
  expect(result.stdout).toContain("HOME=/workspace");
  expect((await run("rm -rf / /workspace; ls")).stdout).toBe("a.txt\n");
  expect((await run("rm -rf /workspace/*; ls")).stdout).toBe("");
});

test("file names that the workspace refuses are reported, and other files are written", async () => {
  const { run, paths } = await shellOver();
  const result = await run(
    "echo a > $'li\\nne'; touch ' lead'; mkdir -p 'x \u200b'; echo b > 'x \u200b/y'; echo c > ok.txt",
  );
  expect(result.exitCode).toBe(0);
  expect(changed(result).written).toEqual(["ok.txt"]);
  expect(result.conflicts).toHaveLength(3);
  expect(await paths()).toEqual(["ok.txt"]);
});

test("a script gets its own variables and replaces none of the shell's", async () => {
  const { run } = await shellOver();
  const env = { CITY: "Rome", PATH: "/evil", HOME: "/root", IFS: ",", BASH_ENV: "x" };
  expect((await run("echo $CITY $PATH $HOME; printenv CITY", { env })).stdout).toBe(
    "Rome /usr/bin:/bin /workspace\nRome\n",
  );
  expect((await run("echo [$CITY]")).stdout).toBe("[]\n");
});

test("the value of a secret is in no output and in no stored file of a script", async () => {
  const { run, paths, textOf } = await shellOver(
    { "cfg.txt": "old" },
    { mask: createMask({ API_KEY: "hunter2-hunter2" }) },
  );
  const env = { API_KEY: "hunter2-hunter2" };
  const result = await run(
    "env; echo $API_KEY >&2; echo $API_KEY | base64; echo k=$API_KEY > cfg.txt; echo ok > ok.txt; touch $API_KEY.txt",
    { env },
  );
  expect(JSON.stringify(result)).not.toContain("hunter2");
  expect(result.stdout).toContain("API_KEY=[redacted:API_KEY]");
  expect(changed(result)).toEqual({
    ...UNCHANGED,
    written: ["ok.txt"],
    conflicts: [
      expect.stringMatching(/^cfg\.txt was not written: it holds the value of a secret/),
      expect.stringMatching(/^\[redacted:API_KEY\]\.txt was not written: its name holds/),
    ],
  });
  expect(await paths()).toEqual(["cfg.txt", "ok.txt"]);
  expect(await textOf("cfg.txt")).toBe("old");
});

test("a host name with the value of a secret is masked", async () => {
  const { run } = await shellOver(
    {},
    {
      mask: createMask({ API_KEY: "Hunter2-hunter2" }),
      fetch: async (url) => ({
        status: 200,
        statusText: "OK",
        headers: {},
        body: Uint8Array.of(104, 105),
        url,
      }),
    },
  );
  const result = await run("curl -s https://$API_KEY.example.com/", { env: { API_KEY: "Hunter2-hunter2" } });
  expect(result).toMatchObject({ stdout: "hi", hosts: ["[redacted:API_KEY].example.com"] });
});

test("the working directory of a script has to exist", async () => {
  const { run } = await shellOver({ "a/b/c.txt": "1" });
  expect((await run("pwd; ls", { cwd: "a/b" })).stdout).toBe("/workspace/a/b\nc.txt\n");
  expect((await run("pwd", { cwd: "/tmp" })).stdout).toBe("/tmp\n");
  expect(await run("pwd", { cwd: "nowhere" })).toMatchObject({ exitCode: 1, stdout: "" });
});
