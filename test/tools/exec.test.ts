import { expect, test } from "vitest";
import type { OutsidePort } from "../../src/security/from-outside.ts";
import type { ShellResult, ShellRun } from "../../src/shell/shell.ts";
import { type BackgroundCommand, execQuestion, execTool } from "../../src/tools/exec.ts";
import { ReadEtags } from "../../src/tools/read-etags.ts";

test("the approval of a command shows the script with its folder and variables", () => {
  expect(execQuestion({ command: "echo hello" })).toBe("Run this?\necho hello");
  const env = { URL: "https://evil.test/\nx" };
  expect(execQuestion({ command: "curl $URL", workdir: "a", env })).toBe(
    'Run this?\n# in a, URL="https://evil.test/\\nx"\ncurl $URL',
  );
});

test("the approval of a long script says how much is left out, and shows its end", () => {
  const question = execQuestion({ command: `${"echo fine\n".repeat(1000)}rm -rf memory` });
  expect(question).toMatch(/\n\[8813 characters are not shown here, and run all the same/);
  expect(question).toMatch(/rm -rf memory$/);
  expect(question.length).toBeLessThan(2000);
});

test("the approval of a command shows invisible characters by their code points", () => {
  expect(execQuestion({ command: "echo \u202eab\u200b\u0007" })).toBe("Run this?\necho \\u{202e}ab\\u{200b}\\u{7}");
});

const DONE = { stdout: "", stderr: "", exitCode: 0, removed: [], conflicts: [], hosts: [], labels: [] };

/** `exec` whose shell ends by `end`, with the commands that it has given to the background. */
function execOver(taken: BackgroundCommand[], etags: ReadEtags, take?: () => number) {
  const ending = Promise.withResolvers<ShellResult>();
  const signals: AbortSignal[] = [];
  const run = (_: string, { signal }: ShellRun) => {
    signals.push(signal);
    signal.addEventListener("abort", () => ending.reject(signal.reason));
    return ending.promise;
  };
  const background = {
    afterMs: 60_000,
    wakes: true,
    refusal: () => undefined,
    take: take ?? ((command: BackgroundCommand) => taken.push(command)),
  };
  const port = {
    ...{ shell: () => ({ commands: [], run }), env: {}, hidden: [], timeoutSec: 60, background },
    ...{ mayReach: () => () => undefined, beforeSend: () => undefined, outside: {} as OutsidePort },
  };
  const call = {
    callId: "c",
    approved: true,
    signal: new AbortController().signal,
    now: () => 0,
    update: () => undefined,
  };
  const start = (background: boolean) => execTool(port, etags).run({ command: "x", background }, call);
  return { start, end: ending.resolve, signals };
}

test("what a command in the background wrote must be read before it is written over, what exec answered need not", async () => {
  const taken: BackgroundCommand[] = [];
  const etags = new ReadEtags();
  etags.set("a.txt", "seen");
  const written = [{ path: "a.txt", etag: "new", before: "seen" }];

  const waited = execOver(taken, etags);
  waited.end({ ...DONE, written });
  await waited.start(false);
  expect(etags.get("a.txt")).toBe("new");

  const behind = execOver(taken, etags);
  await behind.start(true);
  behind.end({
    ...DONE,
    written: [
      { path: "a.txt", etag: "newer", before: "new" },
      { path: "made.txt", etag: "m" },
    ],
  });
  await taken[0]!.done;
  expect([etags.get("a.txt"), etags.get("made.txt")]).toEqual([undefined, undefined]);
});

test("a command that the background does not take over is stopped", async () => {
  const refused = execOver([], new ReadEtags(), () => {
    throw new Error("Another incarnation has taken over.");
  });
  await expect(refused.start(true)).rejects.toThrow("taken over");
  expect(refused.signals[0]!.aborted).toBe(true);
});
