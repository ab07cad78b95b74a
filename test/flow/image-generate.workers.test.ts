import { expect, test } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { PNG } from "../fakes/media-bytes.ts";
import type { MediaAnswer } from "../fakes/media-server.ts";
import { askedMedia, scriptMedia } from "../media/media-lab.ts";
import { callsTo, chatOf, hear, settled } from "./chats.ts";
import { asked, env, finished, historyOf, say, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** A session for which the model makes pictures, in a configuration that is changed besides. */
async function painting(
  name: string,
  answers: MediaAnswer[],
  imageGenerationModel: object | string,
  change: (config: any) => any = (config) => config,
) {
  await scriptMedia(name, answers);
  await configure(name, (config) => {
    const { agents, ...changed } = change(config);
    return { ...changed, agents: { ...agents, defaults: { ...agents.defaults, imageGenerationModel } } };
  });
}

const paint = (args: object = {}) => ({ calls: [{ name: "image_generate", args: { prompt: "A red fox", ...args } }] });

async function sent(chat: ReturnType<typeof chatOf>) {
  return (await callsTo(chat)).map(({ method, args }) => [method, args.text ?? args.photo?.name]);
}

async function resultsIn(name: string): Promise<any[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.filter(({ role }: any) => role === "tool");
}

const PICTURE = expect.stringMatching(/^picture-[0-9a-f]{16}\.png$/);

test("a picture is made into the workspace and sent as a photo with the reply", async () => {
  await painting("fox", [{ tokens: { input: 10, output: 1000 } }], "media/fox");
  await script("fox", [paint({ size: "1024x1536" }), { text: "Here is your fox." }]);
  const chat = chatOf(75_001);
  const runId = await hear("fox", chat, "Draw a fox");
  await settled(runId, chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", "Here is your fox."],
    ["sendPhoto", PICTURE],
  ]);
  expect((await askedMedia("fox")).map(({ fields }) => fields)).toEqual([
    { model: "fox", prompt: "A red fox", n: 1, size: "1024x1536" },
  ]);
  const [result] = await resultsIn("fox");
  const [, path] = /^Stored as (media\/\S+\.png)\.\nIt is sent with your reply/.exec(result.text) ?? [];
  const stored = await env.FILES.get(`agents/main/workspace/${path}`);
  expect(btoa(String.fromCharCode(...new Uint8Array(await stored!.arrayBuffer())))).toBe(PNG);
  expect(await finished(runId)).toMatchObject({ usage: { input: 30, output: 1010 } });
});

test("pictures that come by address are fetched, and a picture that the model attaches as well is sent once", async () => {
  await painting("foxes", [{ byAddress: true }], "media/foxes");
  const digest = await digestOf(
    "SHA-256",
    Uint8Array.from(atob(PNG), (one) => one.charCodeAt(0)),
  );
  await script("foxes", [paint({ n: 2 }), { text: `Two.\nMEDIA:media/picture-${digest.slice(0, 16)}.png` }]);
  const chat = chatOf(75_002);
  await settled(await hear("foxes", chat, "Draw two"), chat);
  // Both are the same picture here, and so the same file.
  expect((await sent(chat)).filter(([method]) => method === "sendPhoto")).toEqual([["sendPhoto", PICTURE]]);
});

test("what the message tool has sent already is not sent again", async () => {
  await painting("fox-sent", [], "media/fox-sent");
  await script("fox-sent", [paint(), { text: "Wait." }]);
  const first = chatOf(75_003);
  await settled(await hear("fox-sent", first, "Draw"), first);
  const [, path = ""] = /Stored as (\S+\.png)/.exec((await resultsIn("fox-sent"))[0].text) ?? [];
  await script("fox-sent", [
    paint(),
    { calls: [{ name: "message", args: { text: "Look!", files: [path] } }] },
    { text: "NO_REPLY" },
  ]);
  const chat = chatOf(75_004);
  await settled(await hear("fox-sent", chat, "Draw"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", "Look!"],
    ["sendPhoto", PICTURE],
  ]);
});

test("a failure is told to the model in words, and the next model is asked", async () => {
  const rejected = {
    error: { code: "moderation_blocked", message: "Your request was rejected by the safety system." },
  };
  const stories: [string, MediaAnswer, RegExp][] = [
    ["fox-refused", { status: 400, body: rejected }, /^media does not take the request: Your request was rejected/],
    ["fox-500", { status: 500, body: {} }, /^media gave no whole answer/],
    ["fox-slow", { hang: true }, /no whole answer within 1000 ms/],
  ];
  for (const [name, answer, reason] of stories) {
    await painting(name, [answer], { primary: `media/${name}`, timeoutMs: 1000 });
    await script(name, [paint(), { text: "Sorry." }]);
    expect(await finished((await say("Draw", name, session(name))).runId)).toMatchObject({ status: "ok" });
    expect(await resultsIn(name)).toMatchObject([{ isError: true, text: expect.stringMatching(reason) }]);
  }
  await scriptMedia("fox-spare", []);
  await painting("fox-first", [{ status: 503, body: {} }], {
    primary: "media/fox-first",
    fallbacks: ["media/fox-spare"],
  });
  await script("fox-first", [paint(), { text: "Done." }]);
  await finished((await say("Draw", "fox-first", session("fox-first"))).runId);
  expect(await resultsIn("fox-first")).toMatchObject([
    { isError: false, text: expect.stringMatching(/^Stored as media\//) },
  ]);
});

test("a provider without a key is told to the model by its name, with the variable to set", async () => {
  await painting("fox-keyless", [], "xai/fox-keyless");
  await script("fox-keyless", [paint(), { text: "Sorry." }]);
  await finished((await say("Draw", "fox-keyless", session("fox-keyless"))).runId);
  const [result] = await resultsIn("fox-keyless");
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/'xai'.*Set XAI_API_KEY/) });
});

test("a budget in money keeps a picture without a price from being made, and counts one with a price", async () => {
  const paintOnBudget = async (name: string, models: object[]) => {
    await painting(name, [], `media/${name}`, (config) => {
      const { media, fake } = config.models.providers;
      const providers = { media: { ...media, models }, fake: { ...fake, models: [{ id: name, cost: {} }] } };
      return { ...config, budgets: { perAgent: { usdPerDay: 1 } }, models: { ...config.models, providers } };
    });
    await script(name, [paint(), { text: "Done." }]);
    const run: any = await finished((await say("Draw", name, session(name))).runId);
    return [(await resultsIn(name))[0], run.usage.costMicros];
  };
  const [refused] = await paintOnBudget("fox-dear", []);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("Money is capped") });
  const [made, costMicros] = await paintOnBudget("fox-priced", [{ id: "fox-priced", cost: { image: 0.04 } }]);
  expect([made.isError, costMicros]).toEqual([false, 40_000]);
});

test("there is no image_generate where no model is configured for it", async () => {
  await script("fox-none", [{ text: "ok" }]);
  await finished((await say("x", "fox-none", session("fox-none"))).runId);
  const [{ body }] = (await asked("fox-none")) as [any];
  expect(body.tools.map((tool: any) => tool.function.name)).not.toContain("image_generate");
});
