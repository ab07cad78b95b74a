import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import type { ScriptedPlatformAnswer } from "../fakes/platforms/fake-platform.ts";
import { launchTool } from "./channel-lab.ts";
import { asked, call, env, historyOf, script, waitFor } from "./client.ts";

/** The person who is an owner, by the configuration of the Worker under test. */
export const OWNER = 1;

/** A channel of the Worker under test, with the server of its platform. Everybody may write to its account. */
export interface ChannelInFlow {
  /** Calls the webhook with a direct message of a person. The same id is the same message. */
  deliver(person: number, text: string, id: string, options?: { isForged?: true }): Promise<Response>;
  /** The session of a person's direct messages. */
  sessionKey(person: number): string;
  /** The texts that a person was sent, in the order of the requests. Requests that were refused count. */
  sentTo(person: number): Promise<string[]>;
  /** The messages that the platform shows to a person, where it drops doubles. */
  shownTo?(person: number): Promise<string[]>;
  /** What the next request that sends something is answered. */
  scriptSending(answer: ScriptedPlatformAnswer): Promise<void>;
  /** How the platform refuses too many requests for two seconds; by `Retry-After` where absent. */
  busy?: ScriptedPlatformAnswer;
  /** Presses the first button of the last message that the owner was sent; absent where the channel has none. */
  press?(): Promise<Response>;
}

const BUSY: ScriptedPlatformAnswer = { status: 429, headers: { "Retry-After": "2" }, body: {} };

/** What holds for whole messages of every channel, through the Worker and back. */
export function channelFlow(name: string, channel: ChannelInFlow): void {
  let lastPerson = 100;
  let lastMessage = 0;
  const say = (person: number, text: string) => channel.deliver(person, text, `m${++lastMessage}`);
  const stubOf = async (person: number) => env.SESSIONS.getByName(await objectNameOf(channel.sessionKey(person)));
  const statusOf = async (person: number) => {
    const rows = await runInDurableObject(await stubOf(person), (_, { storage }) =>
      storage.sql.exec<{ status: string }>("select status from outbox").toArray(),
    );
    return rows.map(({ status }) => status).at(-1);
  };
  const lost = async (person: number) => {
    const path = `/v1/sessions/${encodeURIComponent(channel.sessionKey(person))}/deliveries`;
    return (
      await (await call("GET", path)).json<{ deliveries: { status: string; runId: string; deliveryId: string }[] }>()
    ).deliveries;
  };

  describe(`${name}, from the webhook to the reply`, () => {
    test("a message gets its reply", async () => {
      const person = ++lastPerson;
      await script("default", [{ text: "Hello from the edge." }]);
      expect((await say(person, "Hi there")).status).toBe(200);
      await waitFor(async () => (await channel.sentTo(person)).length === 1);
      expect(await channel.sentTo(person)).toEqual(["Hello from the edge."]);
      const { messages } = await historyOf(channel.sessionKey(person));
      expect(messages).toMatchObject([{ role: "user", text: "Hi there" }, { role: "assistant" }]);
    });

    test("a message that arrives twenty times at once, and later again, is one run and one reply", async () => {
      const person = ++lastPerson;
      await script("default", [{ text: "Once." }]);
      const storm = Array.from({ length: 20 }, () => channel.deliver(person, "Twice?", "storm"));
      for (const response of await Promise.all(storm)) expect(response.status).toBe(200);
      await waitFor(async () => (await statusOf(person)) === "delivered");
      expect((await channel.deliver(person, "Twice?", "storm")).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await channel.sentTo(person)).toEqual(["Once."]);
      expect(await asked("default")).toHaveLength(1);
    });

    test("a forged message is refused, and nothing is stored", async () => {
      await script("default", [{ text: "no" }]);
      const response = await channel.deliver(++lastPerson, "Let me in", "forged", { isForged: true });
      expect(response.status).toBe(401);
      expect(await asked("default")).toHaveLength(0);
    });

    test("a reply that the platform takes later is sent again after its pause, also by an object that was evicted", async () => {
      const person = ++lastPerson;
      await script("default", [{ text: "Patient." }]);
      await channel.scriptSending(channel.busy ?? BUSY);
      await say(person, "Be patient");
      await waitFor(async () => (await channel.sentTo(person)).length === 1);
      await waitFor(async () => (await statusOf(person)) === "pending");
      await evictDurableObject(await stubOf(person));
      await waitFor(async () => (await statusOf(person)) === "delivered");
      expect(await channel.sentTo(person)).toEqual(["Patient.", "Patient."]);
      expect(await lost(person)).toEqual([]);
    });

    test("a reply that may have arrived is not shown twice, and nothing is silent about it", async () => {
      const person = ++lastPerson;
      await script("default", [{ text: "Did it arrive?" }, { text: "Next." }]);
      await channel.scriptSending({ cut: "after" });
      await say(person, "One");
      if (channel.shownTo !== undefined) {
        await waitFor(async () => (await statusOf(person)) === "delivered");
        expect(await channel.shownTo(person)).toEqual(["Did it arrive?"]);
        return;
      }
      await waitFor(async () => (await lost(person))[0]?.status === "unsure");
      await say(person, "Two");
      await waitFor(async () => (await channel.sentTo(person)).length === 3);
      const [first, second, notice] = await channel.sentTo(person);
      expect([first, second]).toEqual(["Did it arrive?", "Next."]);
      expect(notice).toContain("may not have arrived");
    });

    if (channel.shownTo === undefined) {
      test("a reply that may not have arrived is sent again on request", async () => {
        const person = ++lastPerson;
        await script("default", [{ text: "Again?" }]);
        await channel.scriptSending({ status: 500, body: "Internal Server Error" });
        await say(person, "Are you sure?");
        await waitFor(async () => (await lost(person))[0]?.status === "unsure");
        expect(await channel.sentTo(person)).toEqual(["Again?"]);
        const [{ runId, deliveryId } = { runId: "", deliveryId: "" }] = await lost(person);
        await call("POST", `/v1/runs/${runId}/deliveries/${deliveryId}/resend`);
        await waitFor(async () => (await statusOf(person)) === "delivered");
        expect(await channel.sentTo(person)).toEqual(["Again?", "Again?"]);
        expect(await lost(person)).toEqual([]);
      });
    }

    test("a call that needs an owner's word waits for it, and a press or a typed answer lets the run go on", async () => {
      const launched: string[] = [];
      const armed = { extraTools: [launchTool(launched)] };
      await runInDurableObject(await stubOf(OWNER), (instance) => Object.assign(instance, armed));
      await script("default", [{ calls: [{ name: "launch", args: { what: name } }] }, { text: "Launched." }]);
      await say(OWNER, "Launch it");
      await waitFor(async () => (await channel.sentTo(OWNER)).some((text) => text.includes(`Launch ${name}?`)));
      expect(launched).toEqual([]);
      expect((await (channel.press?.() ?? say(OWNER, "/approve allow-once"))).status).toBe(200);
      await waitFor(async () => (await channel.sentTo(OWNER)).includes("Launched."));
      expect(launched).toEqual([name]);
    });

    test("a reply that was being sent when its object died is not shown twice", async () => {
      const person = ++lastPerson;
      await script("default", [{ text: "Almost." }]);
      await channel.scriptSending({ hang: true });
      await say(person, "Go");
      await waitFor(async () => (await statusOf(person)) === "sending");
      await waitFor(async () => (await channel.sentTo(person)).length === 1);
      const killed = runInDurableObject(await stubOf(person), (_, state) => state.abort("killed by a test"));
      await expect(killed).rejects.toThrow("killed by a test");
      await runDurableObjectAlarm(await stubOf(person));
      const wanted = channel.shownTo === undefined ? "unsure" : "delivered";
      await waitFor(async () => (await statusOf(person)) === wanted);
      expect(await (channel.shownTo ?? channel.sentTo)(person)).toEqual(["Almost."]);
      expect(await asked("default")).toHaveLength(1);
    });
  });
}
