import { env, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { signedRequest } from "../channels/webhook/service.ts";
import type { PlatformCall } from "../fakes/platforms/fake-platform.ts";
import { asked, call, historyOf, script, waitFor } from "./client.ts";

const service = knownPlace("webhook", "flow", inject("platforms"));

async function post(body: object, id: string, accountId = "default"): Promise<Response> {
  const request = await signedRequest(JSON.stringify(body), { id });
  return SELF.fetch(new Request(`https://isopod.test/channels/webhook/${accountId}/webhook`, request));
}

/** The replies to a conversation, as they were posted. */
async function repliesTo(conversation: string): Promise<(PlatformCall & { id: string; data: any; type: string })[]> {
  const calls = (await service.calls("replies")).map((made) => ({
    ...made,
    id: String(made.headers["webhook-id"]),
    ...(made.fields as { type: string; data: any }),
  }));
  return calls.filter(({ data }) => data.conversation === conversation);
}

async function deliveriesOf(sessionKey: string): Promise<{ status: string; detail: string | null }[]> {
  const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec<{ status: string; detail: string | null }>("SELECT status, detail FROM outbox").toArray(),
  );
}

test("a signed message gets its reply posted, signed, with the id of the delivery", async () => {
  await script("default", [{ text: "It is **open**." }]);
  const said = { text: "Is it open?", sender: { id: "wh-ada", name: "Ada" }, thread: "t1" };
  expect((await post({ type: "message", data: said }, "wh-1")).status).toBe(200);
  await waitFor(async () => (await repliesTo("wh-ada")).length === 1);
  const [reply] = await repliesTo("wh-ada");
  expect(reply).toMatchObject({
    type: "agent.message",
    data: { text: "It is **open**.", conversation: "wh-ada", thread: "t1" },
    id: expect.stringMatching(/^dlv_/),
  });
  const key = "agent:main:webhook:direct:wh-ada";
  expect((await historyOf(key)).messages).toMatchObject([{ role: "user", sender: { owner: false } }, {}]);
  await waitFor(async () => (await deliveriesOf(key)).every(({ status }) => status === "delivered"));
});

test("a message that is delivered twenty times at once is one run and one reply", async () => {
  await script("default", [{ text: "Once." }]);
  const body = { text: "Storm", sender: "wh-storm" };
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, "wh-storm")));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  await waitFor(async () => (await repliesTo("wh-storm")).length === 1);
  expect(await asked("default")).toHaveLength(1);
  await waitFor(async () =>
    (await deliveriesOf("agent:main:webhook:direct:wh-storm")).every(({ status }) => status === "delivered"),
  );
  expect(await repliesTo("wh-storm")).toHaveLength(1);
});

test.each([
  ["answers 500", { status: 500 }],
  ["asks to wait", { status: 429, headers: { "Retry-After": "1" } }],
  ["breaks off after it has taken the reply", { cut: "after" as const }],
])("a service that %s gets the reply again under the same id", async (what, answer) => {
  const sender = `wh-${what.replaceAll(" ", "-")}`;
  await script("default", [{ text: "Again." }]);
  await service.script({ ...answer, path: "replies" });
  await post({ text: "Hi", sender }, sender);
  await waitFor(async () => (await repliesTo(sender)).length === 2);
  const [first, second] = await repliesTo(sender);
  expect(second?.id).toBe(first?.id);
  await waitFor(async () =>
    (await deliveriesOf(`agent:main:webhook:direct:${sender}`)).every(({ status }) => status === "delivered"),
  );
});

test("a reply that was under way when its session died is posted again under the same id", async () => {
  const sender = "wh-died";
  await script("default", [{ text: "Twice at most." }]);
  await service.script({ hang: true, path: "replies" });
  await post({ text: "Hi", sender }, sender);
  await waitFor(async () => (await repliesTo(sender)).length === 1);
  const name = await objectNameOf(`agent:main:webhook:direct:${sender}`);
  const killed = runInDurableObject(env.SESSIONS.getByName(name), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(env.SESSIONS.getByName(name));
  await waitFor(async () => (await repliesTo(sender)).length === 2);
  const [first, second] = await repliesTo(sender);
  expect(second?.id).toBe(first?.id);
});

test("an unsigned message is refused, and nothing is stored", async () => {
  await script("default", [{ text: "no" }]);
  const url = "https://isopod.test/channels/webhook/default/webhook";
  const headers = { "webhook-id": "wh-2", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" };
  const body = JSON.stringify({ text: "Let me in", sender: "wh-none" });
  expect((await SELF.fetch(url, { method: "POST", body })).status).toBe(401);
  expect((await SELF.fetch(url, { method: "POST", body, headers })).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("a replyUrl on a private network is not called: the reply fails, with what an owner can do", async () => {
  await script("default", [{ text: "Nowhere." }]);
  expect((await post({ text: "Hi", sender: "wh-private" }, "wh-3", "unguarded")).status).toBe(200);
  const key = "agent:main:webhook:direct:unguarded%2Fwh-private";
  await waitFor(async () => (await deliveriesOf(key)).some(({ status }) => status === "failed"));
  expect((await deliveriesOf(key))[0]?.detail).toContain("security.egress.allowPrivate");
});

test("a file that a message names is fetched when its run begins", async () => {
  await script("default", [{ text: "Read." }]);
  const attachments = [{ url: `${service.url}/file.txt` }];
  await post({ text: "See the file", sender: "wh-file", attachments }, "wh-4");
  await waitFor(async () => (await repliesTo("wh-file")).length === 1);
  expect(JSON.stringify(await asked("default"))).toContain("inbox/webhook-wh-file-wh-4-file.txt");
  const path = "/v1/agents/main/workspace/inbox/webhook-wh-file-wh-4-file.txt";
  expect(await (await call("GET", path)).text()).toBe("the contents");
});
