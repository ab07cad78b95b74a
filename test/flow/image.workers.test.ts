import { expect, test } from "vitest";
import { PNG } from "../fakes/media-bytes.ts";
import { at, heard, outsideHost, serve } from "../security/outside-lab.ts";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, env, finished, historyOf, say, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** A session whose model takes this besides text; with a model for images, if one is named. */
async function seeing(name: string, input: string[] | undefined, imageModel?: string): Promise<void> {
  await configure(name, (config) => {
    const model = { id: name, ...(input && { input: ["text", ...input] }) };
    const fake = { ...config.models.providers.fake, models: [model, { id: `${name}-eye`, input: ["text", "image"] }] };
    const defaults = { ...config.agents.defaults, ...(imageModel && { imageModel }) };
    return {
      ...config,
      agents: { ...config.agents, defaults },
      models: { ...config.models, providers: { ...config.models.providers, fake } },
    };
  });
}

async function put(path: string, base64: string): Promise<void> {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  await env.FILES.put(`agents/main/workspace/${path}`, bytes);
}

const look = (args: object) => ({ calls: [{ name: "image", args }] });

async function resultsIn(name: string): Promise<any[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.filter(({ role }: any) => role === "tool");
}

async function toolsOf(name: string): Promise<string[]> {
  return (await asked(name))[0]!.body.tools.map((tool: any) => tool.function.name);
}

test("the session's own model looks at a picture where it sees, and its answer is a result", async () => {
  await seeing("eye-own", ["image"]);
  await serve("eye", { fox: { headers: { "Content-Type": "image/png" }, body: PNG, base64: true } });
  await script("eye-own", [
    look({ url: at("eye", "fox"), question: "Which animal?" }),
    { text: "A fox.", usage: { input: 100, output: 7 } },
    { text: "It is a fox." },
  ]);
  const { runId } = await say("What is it?", "eye-own", session("eye-own"));
  expect(await finished(runId)).toMatchObject({
    status: "ok",
    reply: "It is a fox.",
    usage: { input: 120, output: 17 },
  });
  const [first, second] = (await asked("eye-own")) as [any, any];
  expect(first.body.tools.map((tool: any) => tool.function.name)).toContain("image");
  expect(second.body.tools).toBeUndefined();
  expect(second.body.messages.at(-1).content).toMatchObject([
    { type: "text", text: "Which animal?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
  ]);
  const [result] = await resultsIn("eye-own");
  expect(result).toMatchObject({ isError: false, labels: [`host:${outsideHost}`] });
  expect(result.text).toMatch(/Source: web_fetch[\s\S]*\nA fox\.\n<<<END/);
});

test("imageModel looks for a model that sees nothing, which is told where pictures are", async () => {
  await seeing("eye-other", [], "fake/eye-other-eye");
  await put("pictures/fox.png", PNG);
  await script("eye-other-eye", [{ text: "A fox on a hill." }]);
  await script("eye-other", [look({ path: "pictures/fox.png" }), { text: "Done." }]);
  const image = { path: "pictures/fox.png", mediaType: "image/png" };
  const chat = chatOf(74_001);
  await settled(await hear("eye-other", chat, "Look", { images: [image] }), chat);
  const [{ body }] = (await asked("eye-other")) as [any];
  expect(JSON.stringify(body.messages)).not.toContain("data:image");
  expect(JSON.stringify(body.messages)).toContain(
    "[You see no images: pictures/fox.png is not shown. Ask `image` about it.]",
  );
  expect(await resultsIn("eye-other")).toMatchObject([{ isError: false, text: "A fox on a hill." }]);
  expect((await asked("eye-other-eye"))[0]!.body.messages.at(-1).content[0].text).toContain("What is in this picture?");
});

test("what cannot be looked at says why", async () => {
  await seeing("eye-faults", ["image"]);
  await put("pictures/notes.png", btoa("plain text"));
  await serve("eye-faults", { missing: { status: 404 }, page: { body: "<html>" } });
  const calls = [
    {},
    { path: "pictures/none.png" },
    { path: "pictures/notes.png" },
    { url: at("eye-faults", "missing") },
    { url: at("eye-faults", "page") },
    { url: "http://169.254.169.254/latest" },
  ];
  await script("eye-faults", [...calls.map(look), { text: "Done." }]);
  await finished((await say("Look", "eye-faults", session("eye-faults"))).runId);
  const results = await resultsIn("eye-faults");
  expect(results.every(({ isError }) => isError)).toBe(true);
  const reasons = [
    /either `path` or `url`/,
    /not_found|There is no|pictures\/none\.png/,
    /no PNG/,
    /status 404/,
    /no PNG/,
    /public internet/,
  ];
  for (const [n, reason] of reasons.entries()) expect(results[n]!.text).toMatch(reason);
});

test("a model that fails to look is told of with its provider's words", async () => {
  await seeing("eye-broken", [], "fake/eye-broken-eye");
  await put("pictures/fox.png", PNG);
  await script("eye-broken-eye", [{ status: 400, body: { error: { message: "The image is too small." } } }]);
  await script("eye-broken", [look({ path: "pictures/fox.png" }), { text: "Done." }]);
  await finished((await say("Look", "eye-broken", session("eye-broken"))).runId);
  expect(await resultsIn("eye-broken")).toMatchObject([
    { isError: true, text: expect.stringContaining("does not take the request: The image is too small.") },
  ]);
});

test("after a page an address that nobody named needs the owner's word", async () => {
  await seeing("eye-flow", ["image"]);
  await configure("eye-flow", (config) => ({
    ...config,
    models: {
      ...config.models,
      providers: {
        ...config.models.providers,
        fake: { ...config.models.providers.fake, models: [{ id: "eye-flow", input: ["text", "image"] }] },
      },
    },
    security: { flow: "refuse", egress: { ...config.security.egress, trusted: [] } },
  }));
  await serve("eye-flow", { page: { headers: { "Content-Type": "text/html" }, body: "<p>Words of a page.</p>" } });
  await script("eye-flow", [
    { calls: [{ name: "web_fetch", args: { url: at("eye-flow", "page") } }] },
    look({ url: at("eye-flow", "pixel?secret=1") }),
    { text: "Done." },
  ]);
  await finished((await say(`Read ${at("eye-flow", "page")}`, "eye-flow", session("eye-flow"))).runId);
  expect((await resultsIn("eye-flow"))[1]).toMatchObject({
    isError: true,
    text: expect.stringContaining("security.flow"),
  });
  expect((await heard("eye-flow")).map(({ path }) => path)).toEqual(["page"]);
});

test("there is no image tool where no model is known to see", async () => {
  await script("eye-none", [{ text: "ok" }]);
  await finished((await say("x", "eye-none", session("eye-none"))).runId);
  expect(await toolsOf("eye-none")).not.toContain("image");
});
