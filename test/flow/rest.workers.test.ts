import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { finished, say, script, waitFor } from "./client.ts";
import { pages, summariesOf, talked, words } from "./context-lab.ts";
import { calling, childrenOf, ring, spawning, stubByKey, untilSaid } from "./family-lab.ts";
import { session } from "./session-lab.ts";

/** What keeps a session from sleeping, once what was to be done soon is done. */
async function wakingIn(sessionKey: string) {
  const look = async () => {
    await ring(sessionKey);
    return runInDurableObject(await stubByKey(sessionKey), async (_, { storage }) => ({
      alarm: await storage.getAlarm(),
      open: storage.sql.exec("select id from runs where open = 1").toArray().length,
      untold: storage.sql.exec("select id from audit_pending").toArray().length,
      notices: storage.sql.exec("select run_id from announcements").toArray().length,
    }));
  };
  await waitFor(async () => (await look()).alarm === null);
  return look();
}

const AT_REST = { alarm: null, open: 0, untold: 0, notices: 0 };

test("a session that has had sub-agents, and the sub-agents, sleep until the next message", async () => {
  const { sessionKey } = session("rest-family");
  await script("rest-family", [spawning("rest-family-child"), { text: "Started." }, { text: "All done." }]);
  await script("rest-family-child", [{ text: "11" }]);
  await finished((await say("Go", "rest-family", { sessionKey })).runId);
  await untilSaid(sessionKey, "All done.");
  const [child] = await childrenOf(sessionKey);
  expect(await wakingIn(sessionKey)).toEqual(AT_REST);
  expect(await wakingIn(child.key)).toEqual(AT_REST);
});

test("a session that has sent blocks and messages sleeps until the next message", async () => {
  const name = "rest-chat";
  const long = [words(300), words(300), words(300)].join("\n\n");
  await script(name, [calling("message", { text: "There.", to: "telegram:9802" }), { text: long, chunkSize: 50 }]);
  const chat = chatOf(9801, "blocks");
  expect((await settled(await hear(name, chat, "Tell"), chat)).length).toBeGreaterThan(1);
  expect(await wakingIn(session(name).sessionKey)).toEqual(AT_REST);
  expect(await wakingIn("agent:main:telegram:direct:9802")).toEqual(AT_REST);
});

test("a session that was summarized sleeps until the next message", async () => {
  const name = "small-77";
  await talked(name, pages(12, 1500));
  await script(name, [{ text: "NO_REPLY" }, { text: "A summary." }, { text: "Yes." }]);
  await finished((await say("And now?", name, session(name))).runId);
  expect(await summariesOf(name)).toHaveLength(1);
  expect(await wakingIn(session(name).sessionKey)).toEqual(AT_REST);
});
