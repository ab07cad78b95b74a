import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import type { PlatformPlace } from "../channels/platform-lab.ts";
import type { PlatformCall, ScriptedPlatformAnswer } from "../fakes/platforms/fake-platform.ts";
import { launchTool } from "./channel-lab.ts";
import { asked, call, historyOf, script, waitFor } from "./client.ts";

/** A channel of the Worker under test, whose account in `test/flow/config.ts` has the platform's server on the other end. */
export interface ChannelInWorker {
  place: PlatformPlace;
  /** A part of the path of requests that send a message. */
  sendPath: string;
  /** A webhook call with a direct message of an owner, under the platform's id of it. */
  message(text: string, id: string): Request | Promise<Request>;
  /** Such a call by somebody who does not know the secret. */
  forged(): Request | Promise<Request>;
  /** The words of a message that was sent. */
  words(sent: PlatformCall): string;
  /** The platform's refusal of too many requests, to be repeated after a second. */
  busy: ScriptedPlatformAnswer;
  /** The platform's answer when it is broken. */
  broken: ScriptedPlatformAnswer;
  /** A press of the first button of a message; absent if the channel has none. */
  press?(sent: PlatformCall): Request | Promise<Request>;
}

const OWNERS = "agent:main:main";
const launched: string[] = [];

const launch = launchTool(launched);

/** What holds for an owner's messages, through the Worker and back: also approvals, and replies that are sent again on request. */
export function ownerMessages(name: string, channel: ChannelInWorker) {
  const { place, sendPath, message, forged, words, busy, broken, press } = channel;
  const stub = async () => env.SESSIONS.getByName(await objectNameOf(OWNERS));
  const deliver = async (request: Request | Promise<Request>) => {
    const response = await SELF.fetch(await request);
    return { status: response.status, body: await response.text() };
  };
  const sent = async () => place.calls(sendPath);
  const said = async (text: string) => (await sent()).filter((one) => words(one) === text);
  const deliveries = async (): Promise<{ status: string; deliveryId: string }[]> => {
    const last = (await historyOf(OWNERS)).messages.at(-1) as { runId?: string } | undefined;
    if (last?.runId === undefined) return [];
    return (await (await call("GET", `/v1/runs/${last.runId}`)).json<{ deliveries: any[] }>()).deliveries;
  };
  const settledAs = (status: string) =>
    waitFor(async () => {
      const all = await deliveries();
      return all.length > 0 && all.every((one) => one.status === status);
    });

  describe(`a message of ${name}`, () => {
    beforeEach(async () => {
      // What is not taken up by one test is not the next one's.
      await place.script();
    });

    test("gets its reply where it was written, and stands in the owner's session", async () => {
      await script("default", [{ text: "Hello from the edge." }]);
      expect((await deliver(message("Hi there", `${name}-1`))).status).toBe(200);
      await waitFor(async () => (await said("Hello from the edge.")).length === 1);
      await settledAs("delivered");
      expect((await historyOf(OWNERS)).messages.slice(-2)).toMatchObject([
        { role: "user", text: "Hi there" },
        { role: "assistant" },
      ]);
    });

    test("that comes twenty times at once is one run and one reply", async () => {
      await script("default", [{ text: "Once." }, { text: "Twice." }]);
      const storm = await Promise.all(Array.from({ length: 20 }, () => deliver(message("Storm", `${name}-2`))));
      expect(storm.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      await waitFor(async () => (await said("Once.")).length === 1);
      await settledAs("delivered");
      expect(await said("Twice.")).toEqual([]);
      expect(await asked("default")).toHaveLength(1);
    });

    test("whose reply the platform is too busy for is answered after the pause, once", async () => {
      await script("default", [{ text: "Patient." }]);
      await place.script({ path: sendPath, ...busy });
      await deliver(message("Be patient", `${name}-3`));
      await settledAs("delivered");
      expect(await said("Patient.")).toHaveLength(2);
    });

    test.each([
      ["a broken platform", broken],
      ["a platform that takes it and is gone", { cut: "after" }],
    ] as const)("whose reply goes to %s is answered unsurely, and again on request", async (what, answer) => {
      const text = `Unsure: ${what}.`;
      await script("default", [{ text }]);
      await place.script({ path: sendPath, ...answer });
      await deliver(message("Are you sure?", `${name}-${what}`));
      await settledAs("unsure");
      expect(await said(text)).toHaveLength(1);
      const runId = ((await historyOf(OWNERS)).messages.at(-1) as unknown as { runId: string }).runId;
      const [{ deliveryId } = { deliveryId: "" }] = await deliveries();
      await call("POST", `/v1/runs/${runId}/deliveries/${deliveryId}/resend`);
      await settledAs("delivered");
      expect(await said(text)).toHaveLength(2);
    });

    test("whose session dies while the reply is being sent is not answered twice", async () => {
      await script("default", [{ text: "Last words." }]);
      await place.script({ path: sendPath, hang: true });
      await deliver(message("Stay", `${name}-4`));
      await waitFor(async () => (await said("Last words.")).length === 1);
      const killed = runInDurableObject(await stub(), (_, state) => state.abort("killed by a test"));
      await expect(killed).rejects.toThrow("killed by a test");
      await runDurableObjectAlarm(await stub());
      await settledAs("unsure");
      expect(await said("Last words.")).toHaveLength(1);
    });

    test("whose session leaves memory before the reply can be sent is answered by the next", async () => {
      await script("default", [{ text: "After a rest." }]);
      await place.script({ path: sendPath, ...busy });
      await deliver(message("Rest", `${name}-5`));
      await waitFor(async () => (await said("After a rest.")).length === 1);
      await evictDurableObject(await stub());
      await settledAs("delivered");
    });

    test("that needs a person's word asks for it, and a press or a typed answer lets it go on", async () => {
      await runInDurableObject(await stub(), (instance) => Object.assign(instance, { extraTools: [launch] }));
      await script("default", [{ calls: [{ name: "launch", args: { what: name } }] }, { text: "Launched." }]);
      await deliver(message("Launch it", `${name}-6`));
      const questions = async () => (await sent()).filter((one) => words(one).includes(`Launch ${name}?`));
      await waitFor(async () => (await questions()).length === 1);
      expect(launched).not.toContain(name);
      const [question] = await questions();
      if (question === undefined) throw new Error("no question was asked");
      expect((await deliver(press?.(question) ?? message("/approve allow-once", `${name}-7`))).status).toBe(200);
      await waitFor(async () => (await said("Launched.")).length === 1);
      expect(launched).toContain(name);
    });

    test("with a wrong signature is refused, and no model is asked", async () => {
      await script("default", [{ text: "no" }]);
      expect((await deliver(forged())).status).toBe(401);
      expect(await asked("default")).toHaveLength(0);
    });
  });
}
