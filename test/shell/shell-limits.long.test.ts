import { expect, test } from "vitest";
import { MAX_CHANGES } from "../../src/shell/limits.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { shellOver } from "./run-shell.ts";

const MIB = 1024 * 1024;

test.each([
  ["a loop without end", "while :; do :; done", /too many commands/],
  ["a function that calls itself", "f(){ f; f; }; f", /recursion depth/],
  ["a fork bomb", ":(){ :|:& };:", /recursion depth/],
  ["a string that doubles", "x=a; while :; do x=$x$x; done", /string length/],
  ["braces without end", "echo {1..100000}{1..100000}", /brace expansion/],
  ["a number line without end", "seq 1 100000000 | tail -1", /iteration limit/],
  ["a loop of awk without end", "awk 'BEGIN { while (1) i++ }'", /iterations/],
  ["a stream of jq without end", "jq -n '[range(1e9)] | length'", /limit/],
  ["a width without end", "printf '%1000000000s' x", /limit/],
])("%s is stopped with a reason", async (_, script, said) => {
  const { run } = await shellOver();
  const result = await run(script);
  expect(result).toMatchObject({
    exitCode: 126,
    stopped: expect.stringContaining("over a limit"),
    stderr: expect.stringMatching(said),
  });
  expect(result.stderr).not.toContain("executionLimits");
});

test.each([
  ["grep", "grep -cE '(a*)*b' a.txt"],
  ["sed", "sed -E 's/((a|aa)+)+b//' a.txt"],
  ["awk", "awk '/((a|aa)+)+b/' a.txt"],
  ["[[ =~ ]]", "[[ $(cat a.txt) =~ ^((a|aa)+)+b$ ]]; echo $?"],
  ["a glob", "shopt -s extglob; [[ $(cat a.txt) == +(a|aa|+(a))b ]]; echo $?"],
  ["jq", "jq -Rs 'test(\"^((a|aa)+)+b$\")' a.txt"],
])("a catastrophic pattern takes no time in %s", async (_, script) => {
  const { run } = await shellOver({ "a.txt": "a".repeat(2000) });
  expect(await run(script)).not.toHaveProperty("stopped");
});

test("diff refuses files with too many differing lines", async () => {
  const { run } = await shellOver();
  expect((await run("seq 9000 > a; seq 9000 -1 1 > b; diff a b")).stderr).toContain("differ in more than 4000 lines");
  expect((await run("sed s/^77$/x/ a > c; diff a c;  diff -q a b")).stdout).toMatch(
    /-77\n\+x\n[\s\S]*Files a and b differ/,
  );
});

test.each([
  ["a file", "sed s/a/b/ big.txt"],
  ["stdin", "cat big.txt | sed s/a/b/"],
  ["a file that is read from", "sed s/a/b/ < big.txt"],
  ["another program", "jq . twice.txt"],
])("a memory-hungry program refuses a large input: %s", async (_, script) => {
  const big = "ab\n".repeat(200_000);
  const { run } = await shellOver({ "big.txt": big, "twice.txt": big + big });
  expect(await run(script)).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("KiB at once") });
  expect(
    (await run("echo a | sed s/a/b/; head -c 30 big.txt > s; sed -n 1p s; tr a c < s | tail -1; tail -1 big.txt"))
      .stdout,
  ).toBe("b\nab\ncb\nab\n");
});

test("other work is served during a loop of builtins", async () => {
  const { run } = await shellOver();
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  await run("for ((i = 0; i < 5000; i++)); do x=$i; done");
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(20);
});

test("yielding in a loop does not change its iterations", async () => {
  const { run } = await shellOver({ "lines.txt": "a\nb\n" });
  const script =
    'while read -r line; do echo "$line$?"; done < lines.txt; until ((n++ > 1)); do echo $n; done; f() { local was=$?; echo $was; }; false; f';
  expect((await run(script)).stdout).toBe("a0\nb0\n1\n2\n1\n");
  expect(
    (
      await run(
        'cat lines.txt | while read -r x; do echo "<$x>"; done; for ((;;)); do break; done; select_=1; echo $select_',
      )
    ).stdout,
  ).toBe("<a>\n<b>\n1\n");
});

test("files beyond the memory limit are not read, and the script is stopped", async () => {
  const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.bin`, new Uint8Array(7 * MIB)]));
  const { run } = await shellOver(files);
  const result = await run("echo begun; md5sum a.bin b.bin; gzip -k c.bin; md5sum d.bin; echo on");
  expect(result.stopped).toContain("more than 24 MB");
  expect(result.stdout).not.toContain("on\n");
});

test("reading a file repeatedly counts each time", async () => {
  const { run } = await shellOver({ "a.bin": new Uint8Array(6 * MIB) });
  expect((await run("for i in $(seq 100); do cmp=$(md5sum a.bin); done")).stopped).toContain("more than 128 MB");
});

test("a script that changes too many files changes none", async () => {
  const { run, paths } = await shellOver({ "a.txt": "1" });
  const result = await run(`for i in $(seq ${MAX_CHANGES + 1}); do echo x > t$i; done; rm a.txt`);
  expect(result).toMatchObject({
    written: [],
    removed: [],
    conflicts: [expect.stringContaining("Nothing was stored")],
  });
  expect(await paths()).toEqual(["a.txt"]);
});

test("a store that does not answer stops the script, and no file counts as removed", async () => {
  const workspace = openWorkspace();
  const away = { ...workspace, read: async () => Promise.reject(new Error("R2 is away")) };
  const { run } = await shellOver({ "a.txt": "1", "b.txt": "2" }, { workspace: away });
  const result = await run("cat a.txt || rm b.txt; rm a.txt");
  expect(result.stopped).toContain("R2 is away");
  expect(result.removed).toEqual([]);
});

test("requests of scripts go through the guarded fetch and are counted", async () => {
  const asked: string[] = [];
  const fetch = async (url: string, init: any = {}) => {
    asked.push(`${init.method} ${url} ${init.body ?? ""} ${new Headers(init.headers).get("x-key") ?? ""}`);
    const body = Uint8Array.from(new TextEncoder().encode(`{"city":"北京"}`));
    return { status: 200, statusText: "OK", headers: { "content-type": "application/json" }, body, url };
  };
  const { run } = await shellOver({}, { fetch });
  const result = await run(
    "curl -s https://api.example.com/v1 | jq -r .city; curl -s -X POST -H 'X-Key: k' -d '{\"a\":1}' -o out.json http://other.example/",
  );
  expect(result).toMatchObject({ stdout: "北京\n", hosts: ["api.example.com", "other.example"] });
  expect(asked).toEqual(["GET https://api.example.com/v1  ", 'POST http://other.example/ {"a":1} k']);
  expect((await run("for i in $(seq 101); do curl -sS -o /dev/null https://a.example; done")).stderr).toContain(
    "100 requests at most",
  );
});
