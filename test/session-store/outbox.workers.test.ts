import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import migrations from "../../migrations/session/migrations.js";
import type { Delivery, OutboundPart, Target } from "../../src/channels/channel.ts";
import { drainOutbox, enqueue, markInterruptedUnsure, runDeliveries } from "../../src/session-store/outbox.ts";
import { outbox } from "../../src/session-store/schema.ts";
import { sessionTarget } from "../../src/session-store/session-channel.ts";
import { openStore, type Store, updateTables } from "../../src/session-store/store.ts";
import { stubOf } from "../flow/session-lab.ts";

const chat = (conversationId: string): Target => {
  return { channel: "telegram", accountId: "default", kind: "direct", conversationId };
};

async function inStore(name: string, work: (store: Store) => Promise<void>): Promise<void> {
  await runInDurableObject(await stubOf(name), async (_, state) => {
    const store = openStore(state);
    updateTables(state, store);
    await work(store);
  });
}

/** Sends what is due to a platform, and gives what it took. */
async function drain(store: Store, answer: (part: OutboundPart) => Delivery, now = 1000): Promise<string[]> {
  const taken: string[] = [];
  const send = async (part: OutboundPart) => {
    taken.push(part.text);
    return answer(part);
  };
  const ready = async (draft: string, target: Target) => draft.split("|").map((text) => ({ target, text }));
  await drainOutbox({
    store,
    write: (work) => work(),
    prepareParts: ready,
    send: send,
    sent: () => undefined,
    now: () => now,
  });
  return taken;
}

const put = (store: Store, target: Target, ...parts: string[]) =>
  enqueue(store, { runId: "run_1", parts: parts.map((text) => ({ target, text })) }, 1000);

const putDraft = (store: Store, target: Target, text: string) =>
  enqueue(store, { runId: "run_1", parts: [{ target, text, draft: true }] }, 1000);

test("a part waits for those before it in the same conversation, and for no others", async () => {
  await inStore("outbox-order", async (store) => {
    put(store, chat("1"), "first", "second");
    put(store, { ...chat("2"), replyToId: "7" }, "elsewhere");
    const busy = ({ target }: OutboundPart): Delivery =>
      target.conversationId === "1" ? { outcome: "retry", afterMs: 60_000, reason: "busy" } : { outcome: "delivered" };
    expect(await drain(store, busy)).toEqual(["first", "elsewhere"]);
    expect(await drain(store, () => ({ outcome: "delivered" }), 100_000)).toEqual(["first", "second"]);
  });
});

test("a delivery to a channel that a crash interrupts becomes unsure, and one to a session is repeated", async () => {
  await inStore("outbox-died", async (store) => {
    put(store, chat("1"), "to people");
    put(store, sessionTarget("agent:main:main"), "to a session");
    store.update(outbox).set({ status: "sending" }).run();
    markInterruptedUnsure(store);
    expect(runDeliveries(store, "run_1").map(({ status }) => status)).toEqual(["unsure", "pending"]);
    expect(await drain(store, () => ({ outcome: "delivered" }))).toEqual(["to a session"]);
  });
});

test("deliveries to a channel that always refuses are given up, and those to a session are not", async () => {
  await inStore("outbox-refused", async (store) => {
    put(store, chat("1"), "to people");
    put(store, sessionTarget("agent:main:main"), "to a session");
    const refuse = (): Delivery => ({ outcome: "retry", afterMs: 0, reason: "no" });
    for (let day = 1; day <= 12; day++) await drain(store, refuse, day * 86_400_000);
    expect(runDeliveries(store, "run_1").map(({ status }) => status)).toEqual(["failed", "pending"]);
  });
});

test("the parts that a draft becomes stand in its place, before what was put in later", async () => {
  await inStore("outbox-draft", async (store) => {
    putDraft(store, chat("1"), "a|b|c");
    put(store, chat("1"), "later");
    putDraft(store, chat("1"), "d|e");
    expect(await drain(store, () => ({ outcome: "delivered" }))).toEqual(["a", "b", "c", "later", "d", "e"]);
  });
});

test("a draft that was stored with a prefix of its text becomes a draft with its text", async () => {
  await inStore("outbox-prefix", async (store) => {
    put(store, chat("1"), "\u0000draft\nHéllo|世界", "ready");
    const [, convert = ""] = migrations.migrations.m0012?.split("--> statement-breakpoint") ?? [];
    store.run(convert);
    const rows = store.select({ text: outbox.text, draft: outbox.draft }).from(outbox).all();
    expect(rows).toEqual([
      { text: "Héllo|世界", draft: true },
      { text: "ready", draft: false },
    ]);
    expect(await drain(store, () => ({ outcome: "delivered" }))).toEqual(["Héllo", "世界", "ready"]);
  });
});
