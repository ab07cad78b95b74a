import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { github } from "../../../src/channels/github/github.ts";
import { publicJwk } from "../signing-key.ts";
import { appKey, HOOK_SECRET, makeGithubApp, type TestApp, WEBHOOK } from "./test-app.ts";

const VIA = "installation=4711";
const signal = () => AbortSignal.timeout(5_000);

function send(app: TestApp, target: Partial<Target> = {}, more: Partial<OutboundPart> = {}): Promise<Delivery> {
  const part = { target: { ...app.target, via: VIA, ...target }, text: "hello", deliveryId: "dlv_1", ...more };
  return github.send(part, app.context, signal());
}

describe("a reply", () => {
  test("is a comment on the issue or the pull request", async () => {
    const app = await makeGithubApp();
    expect(await send(app)).toEqual({ outcome: "delivered", externalId: "901" });
    expect(await app.comments()).toEqual([{ path: "repos/octo/repo/issues/7/comments", body: "hello" }]);
  });

  test("to a comment on a line is in its thread", async () => {
    const app = await makeGithubApp();
    await send(app, { threadId: "900" });
    expect((await app.comments())[0]?.path).toBe("repos/octo/repo/pulls/7/comments/900/replies");
  });

  test("on a commit is a comment on it", async () => {
    const app = await makeGithubApp();
    const sha = "b".repeat(40);
    await send(app, { conversationId: `octo/repo@${sha}` });
    expect((await app.comments())[0]?.path).toBe(`repos/octo/repo/commits/${sha}/comments`);
  });

  test("in a discussion goes by GraphQL, which refuses with 200", async () => {
    const app = await makeGithubApp();
    expect(await send(app, { via: `${VIA}&discussion=D_1` })).toEqual({ outcome: "delivered", externalId: "77" });
    const [call] = await app.place.calls("graphql");
    expect(call?.fields.variables).toEqual({ discussionId: "D_1", body: "hello" });
    const gone = await send(app, { via: `${VIA}&discussion=D_gone` });
    expect(gone).toMatchObject({ outcome: "failed", reason: expect.stringContaining("no such conversation") });
  });

  test("to what is no conversation says how one is written", async () => {
    const app = await makeGithubApp();
    const reason = expect.stringContaining("owner/repository#12");
    for (const conversationId of ["octo/repo", "octo/repo/../../user#1", "../..#1", "octo/..#1", "#7"]) {
      expect(await send(app, { conversationId }), conversationId).toMatchObject({ outcome: "failed", reason });
    }
    expect(await app.place.calls()).toEqual([]);
  });

  test("of the greatest length is taken", async () => {
    const app = await makeGithubApp();
    const [text = ""] = github.format("很长。".repeat(30_000));
    expect(await send(app, {}, { text })).toMatchObject({ outcome: "delivered" });
  });
});

describe("the login", () => {
  test("of an app is a token of its installation, with a key in either form", async () => {
    const { pkcs8 } = await appKey();
    for (const key of [{}, { KEY: pkcs8 }, { KEY: pkcs8.replaceAll("\n", "\\n") }]) {
      const app = await makeGithubApp({}, key);
      for (let n = 0; n < 2; n++) expect(await send(app)).toMatchObject({ outcome: "delivered" });
      const logins = await app.place.calls("access_tokens");
      expect(logins.map(({ path }) => path)).toEqual(["app/installations/4711/access_tokens"]);
    }
  });

  test("finds the installation where the agent writes first", async () => {
    const app = await makeGithubApp();
    await github.send({ target: app.target, text: "hi", deliveryId: "dlv_1" }, app.context, signal());
    expect((await app.place.calls("installation")).map(({ path }) => path)[0]).toBe("repos/octo/repo/installation");
    const elsewhere = { ...app.target, conversationId: "octo/elsewhere#1" };
    const delivery = await github.send({ target: elsewhere, text: "hi", deliveryId: "dlv_1" }, app.context, signal());
    expect(delivery).toMatchObject({ outcome: "failed", reason: expect.stringContaining("not installed") });
  });

  test("is made anew where GitHub does not take the token any more, once", async () => {
    const app = await makeGithubApp();
    const refusal = { path: "/comments", status: 401, body: { message: "Bad credentials" } };
    await app.place.script(refusal);
    expect(await send(app)).toMatchObject({ outcome: "delivered" });
    expect(await app.place.calls("/access_tokens")).toHaveLength(2);
    await app.place.script(refusal, refusal, refusal);
    expect(await send(app)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("check APP and KEY") });
    expect(await app.place.calls("/comments")).toHaveLength(4);
  });

  test("with a key of another app, or with none, says so", async () => {
    const app = await makeGithubApp();
    await app.place.remember({ appKey: await publicJwk() });
    expect(await send(app)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("check APP and KEY") });
    const broken = await makeGithubApp(
      {},
      { KEY: "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----" },
    );
    expect(await send(broken)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("cannot be read") });
  });

  test("of a user is the user's token", async () => {
    const app = await makeGithubApp({}, { APP: "", TOKEN: "ghp_x" });
    expect(await send(app)).toMatchObject({ outcome: "delivered" });
    expect((await app.place.calls()).map(({ headers }) => headers.authorization)).toEqual(["Bearer ghp_x"]);
  });
});

describe("a refusal", () => {
  test("at a limit waits as long as GitHub says, at least a minute where it says nothing", async () => {
    for (const [answer, afterMs] of [
      [{ status: 403, headers: { "Retry-After": "31" }, body: { message: "Slow down." } }, 31_000],
      [{ status: 403, body: { message: "You have exceeded a secondary rate limit." } }, 60_000],
      [{ status: 403, body: { message: "API rate limit exceeded for installation ID 1." } }, 60_000],
      [{ status: 429, body: { message: "Too many" } }, 60_000],
    ] as const) {
      const app = await makeGithubApp();
      await app.place.script({ path: "/comments", ...answer });
      expect(await send(app)).toMatchObject({ outcome: "retry", afterMs });
    }
  });

  test("is said in words", async () => {
    const app = await makeGithubApp();
    const reasonOf = async (target: Partial<Target>) => {
      const delivery = await send(app, target);
      return delivery.outcome === "failed" ? delivery.reason : delivery.outcome;
    };
    expect(await reasonOf({ conversationId: "octo/repo#423" })).toMatch(/^The conversation is locked/);
    expect(await reasonOf({ conversationId: "octo/repo#404" })).toMatch(/^There is no such conversation/);
    await app.place.script({
      path: "/comments",
      status: 403,
      body: { message: "Resource not accessible by integration" },
    });
    expect(await reasonOf({})).toMatch(/^The agent may not write there: give it/);
  });

  test("by a server that fails may have been a comment", async () => {
    const app = await makeGithubApp();
    await app.place.script({ path: "/comments", status: 502 });
    expect(await send(app)).toMatchObject({ outcome: "unsure" });
    await app.place.script({ path: "access_tokens", status: 500 });
    expect(await send(await makeGithubApp())).toMatchObject({ outcome: "delivered" });
  });
});

describe("a reaction", () => {
  const react = (app: TestApp, messageId: string, emoji: string, target: Partial<Target> = {}) =>
    github.reactions?.react(
      { target: { ...app.target, via: VIA, ...target }, messageId, emoji },
      app.context,
      signal(),
    );

  test("is put where its message is", async () => {
    const app = await makeGithubApp();
    await react(app, "900", "👀");
    await react(app, "900", "❤️", { threadId: "890" });
    await react(app, "opening", "🚀");
    const made = (await app.place.calls("reactions")).map(({ path, fields }) => [path, fields.content]);
    expect(made).toEqual([
      ["repos/octo/repo/issues/comments/900/reactions", "eyes"],
      ["repos/octo/repo/pulls/comments/900/reactions", "heart"],
      ["repos/octo/repo/issues/7/reactions", "rocket"],
    ]);
  });

  test("that GitHub does not have is refused, with those that it has", async () => {
    const app = await makeGithubApp();
    expect(await react(app, "900", "🦀")).toMatchObject({ outcome: "failed", reason: expect.stringContaining("👍") });
    expect(await react(app, "review-3", "👍")).toMatchObject({ outcome: "failed" });
    expect(await react(app, "900", "👍", { via: `${VIA}&discussion=D_1` })).toMatchObject({ outcome: "failed" });
  });

  test("is removed where it is the agent's, and nobody else's is", async () => {
    const app = await makeGithubApp();
    await react(app, "900", "👍");
    expect(await react(app, "900", "")).toMatchObject({ outcome: "delivered" });
    const removed = (await app.place.calls("reactions/")).map(({ method, path }) => `${method} ${path}`);
    expect(removed).toEqual(["DELETE repos/octo/repo/issues/comments/900/reactions/2"]);
  });
});

describe("the webhook of an app", () => {
  const connect = (app: TestApp, takeOver = false) =>
    github.connect?.(app.context, { webhookUrl: WEBHOOK, takeOver }, signal());
  const check = async (app: TestApp) =>
    (await github.check?.(app.context, WEBHOOK, signal()))?.map(({ status, message }) => `${status} ${message}`);

  test("is set with its secret, and then checked", async () => {
    const app = await makeGithubApp();
    expect(await check(app)).toContainEqual(expect.stringMatching(/^fail GitHub calls nowhere/));
    expect(await connect(app)).toEqual([{ status: "ok", message: `GitHub calls ${WEBHOOK}.` }]);
    const [patched] = (await app.place.calls("hook")).filter(({ method }) => method === "PATCH");
    expect(patched?.fields).toMatchObject({ url: WEBHOOK, content_type: "json", secret: HOOK_SECRET });
    expect(await check(app)).toEqual(["ok the agent is @isopod-agent.", "ok GitHub calls this Worker."]);
  });

  test("of another server is replaced only when that is asked for", async () => {
    const app = await makeGithubApp();
    await app.place.remember({ hook: { url: "https://old.test/" } });
    expect(await connect(app)).toMatchObject([{ status: "warn" }]);
    expect(await connect(app, true)).toMatchObject([{ status: "ok" }]);
  });

  test("of a user is set by people", async () => {
    const app = await makeGithubApp({}, { APP: "", TOKEN: "ghp_x" });
    expect(await connect(app)).toMatchObject([{ status: "warn", fix: expect.stringContaining(WEBHOOK) }]);
  });

  test("is not enough: the check finds missing permissions and events", async () => {
    const app = await makeGithubApp();
    await app.place.remember({ app: { permissions: { issues: "read" }, events: ["issues"] }, hook: { url: WEBHOOK } });
    expect(await check(app)).toMatchObject([
      "ok the agent is @isopod-agent.",
      "warn it may not write to: issues, pull_requests, discussions.",
      expect.stringMatching(/^warn it is not told of: issue_comment, /),
      "ok GitHub calls this Worker.",
    ]);
  });
});
