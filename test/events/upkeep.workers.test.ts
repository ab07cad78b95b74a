import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { consumeUpkeep } from "../../src/events/upkeep.ts";
import { createAttempt } from "../../src/workspace/retry.ts";
import { pruneVersions } from "../../src/workspace/versions.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { watchBucket } from "../workspace/watch-bucket.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const ANY = { kind: "any" } as const;

/** Sends these messages to the consumer as one batch, some days from now. */
async function deliver(bodies: unknown[], days: number, bucket: R2Bucket = env.FILES) {
  const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("isopod-upkeep", messages);
  await consumeUpkeep(batch.messages, { FILES: bucket }, Date.now() + days * DAY_MS);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  return { acked: [...explicitAcks].sort(), retried: retryMessages.map((message) => message.msgId) };
}

/** A file of an agent with two versions, and the message that its writer sent. */
async function overwritten(agentId: string, path: string) {
  const workspace = openWorkspace({ agentId });
  for (const content of ["one", "two", "three"]) await workspace.write(path, content, ANY);
  return { workspace, message: { kind: "prune-versions", agentId, path } };
}

describe("pruning file versions", () => {
  test("deletes versions after 30 days, and not a day earlier", async () => {
    const { workspace, message } = await overwritten("keeper", "notes/a.md");
    expect(await deliver([message], 29)).toEqual({ acked: ["m0"], retried: [] });
    expect(await workspace.versions("notes/a.md")).toHaveLength(2);
    expect(await deliver([message], 31)).toEqual({ acked: ["m0"], retried: [] });
    expect(await workspace.versions("notes/a.md")).toEqual([]);
    expect((await workspace.stat("notes/a.md")).size).toBe(5);
  });

  test("leaves other agents' versions alone, and is idempotent", async () => {
    const { message } = await overwritten("one", "a.md");
    const others = await overwritten("two", "a.md");
    await deliver([message, message], 31);
    await deliver([message], 31);
    expect(await others.workspace.versions("a.md")).toHaveLength(2);
  });

  test("sweeps all files of an agent once a day", async () => {
    const { message } = await overwritten("tidy", "a.md");
    await deliver([message], 0);
    const { workspace } = await overwritten("tidy", "deep/forgotten.md");
    await workspace.remove("deep/forgotten.md", ANY);
    const { bucket, calls } = watchBucket(env.FILES);
    await deliver([message], 0, bucket);
    expect(calls).toEqual(["list", "head versions/tidy/.swept"]);
    await deliver([message], 29);
    expect(await workspace.versions("deep/forgotten.md")).toHaveLength(3);
    await deliver([message], 31);
    expect(await workspace.versions("deep/forgotten.md")).toEqual([]);
    expect((await workspace.replaced()).files).toEqual([]);
  });

  test("continues an interrupted sweep", async () => {
    const { message, workspace } = await overwritten("long", "b.md");
    await env.FILES.put("versions/long/.swept", "", {
      customMetadata: { from: encodeURIComponent("versions/long/c") },
    });
    await overwritten("long", "a.md");
    await overwritten("long", "d.md");
    await deliver([{ ...message, path: "e.md" }], 31);
    expect((await workspace.replaced()).files.map(({ path }) => path)).toEqual(["a.md", "b.md"]);
    await deliver([{ ...message, path: "e.md" }], 33);
    expect((await workspace.replaced()).files).toEqual([]);
  });

  test("keeps the newest versions up to the limit", async () => {
    const { workspace } = await overwritten("chatty", "log.md");
    await workspace.write("log.md", "four", ANY);
    const [newest, second] = await workspace.versions("log.md");
    const store = { bucket: env.FILES, attempt: createAttempt(), agentId: "chatty" };
    expect(await pruneVersions(store, "log.md", Date.now(), 2)).toBe(1);
    expect(await workspace.versions("log.md")).toEqual([newest, second]);
  });

  test("handles a file once per batch", async () => {
    const { message } = await overwritten("busy", "log.md");
    const { bucket, calls } = watchBucket(env.FILES);
    expect(await deliver(Array(50).fill(message), 0, bucket)).toMatchObject({ retried: [] });
    expect(calls.slice(0, 2)).toEqual(["list", "head versions/busy/.swept"]);
  });

  test("retries only the messages of failed files", async () => {
    const good = await overwritten("good", "a.md");
    const bad = await overwritten("bad", "a.md");
    const { bucket } = watchBucket(env.FILES, {
      before: (call) => call.startsWith("delete versions/bad/") && new Error("delete: Access denied (10003)"),
    });
    expect(await deliver([bad.message, good.message, bad.message], 31, bucket)).toEqual({
      acked: ["m1"],
      retried: ["m0", "m2"],
    });
    expect(await good.workspace.versions("a.md")).toEqual([]);
    expect(await bad.workspace.versions("a.md")).toHaveLength(2);
  });

  test("drops invalid messages without touching anything", async () => {
    const { bucket, calls } = watchBucket(env.FILES);
    const strange = ["text", null, { kind: "other" }, { kind: "prune-versions", agentId: "../x", path: "a" }];
    expect(await deliver(strange, 31, bucket)).toEqual({ acked: ["m0", "m1", "m2", "m3"], retried: [] });
    expect(calls).toEqual([]);
  });
});
