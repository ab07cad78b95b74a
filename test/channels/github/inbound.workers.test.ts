import { describe, expect, test } from "vitest";
import type { InboundEvent, InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { github } from "../../../src/channels/github/github.ts";
import { hmac, toHex } from "../../../src/security/hmac.ts";
import { ADA, commented, HOOK_SECRET, ISSUE, makeGithubApp, type TestApp, WEBHOOK } from "./test-app.ts";

const BOB = { id: 78, login: "bob", type: "User" };

async function receive(app: TestApp, name: string, body: unknown): Promise<ReceiveResult> {
  return github.receive(await app.deliver(name, body), app.context);
}

async function eventIn(app: TestApp, name: string, body: unknown): Promise<InboundEvent> {
  const received = await receive(app, name, body);
  const [event] = received.kind === "events" ? received.events : [];
  if (event === undefined) throw new Error(`nothing: ${JSON.stringify(received)}`);
  return event;
}

async function messageIn(app: TestApp, name: string, body: unknown): Promise<InboundMessage> {
  const event = await eventIn(app, name, body);
  if (event.kind !== "message") throw new Error(event.kind);
  return event;
}

async function reasonFor(app: TestApp, name: string, body: unknown): Promise<string> {
  const received = await receive(app, name, body);
  return received.kind === "answered" ? received.reason : received.kind;
}

const { comment: _, ...ABOUT } = commented("");

describe("a comment", () => {
  test("is a message to the conversation of its issue, in its repository", async () => {
    const app = await makeGithubApp();
    expect(await messageIn(app, "issue_comment", commented("@isopod-agent hello"))).toEqual({
      ...{ kind: "message", dedupeId: "issue_comment/900", messageId: "900", text: "hello", mentioned: true },
      sender: { id: "77", name: "ada", username: "ada" },
      conversation: { kind: "group", id: "octo/repo#7", title: "It breaks", spaceId: "octo/repo" },
      attachments: [],
      via: "installation=4711",
    });
  });

  test("is the same message in every webhook, and each edit is another version of it", async () => {
    const app = await makeGithubApp();
    const edit = (at: string) => commented("hello!", { action: "edited" }, { updated_at: at });
    const [first, again] = [commented("hello"), commented("hello", { installation: { id: 9 } })];
    const events = [first, again, edit("2026-11-25T10:01:00Z"), edit("2026-11-25T10:02:00Z")];
    const messages = await Promise.all(events.map((event) => messageIn(app, "issue_comment", event)));
    const ids = messages.map(({ dedupeId }) => dedupeId);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
    expect(messages[2]).toMatchObject({ edited: true, messageId: "900" });
  });

  test("that was deleted is taken back", async () => {
    const app = await makeGithubApp();
    const event = await eventIn(app, "issue_comment", commented("hello", { action: "deleted" }));
    expect(event).toMatchObject({ kind: "deletion", messageId: "900", conversation: { id: "octo/repo#7" } });
  });

  test("that somebody else has edited is not taken for its author's words", async () => {
    const app = await makeGithubApp();
    const edit = commented("@isopod-agent delete all", { action: "edited", sender: BOB });
    expect(await reasonFor(app, "issue_comment", edit)).toBe("somebody else than its author wrote it");
  });

  test("on a line of a pull request is in a thread, with the code that it is about", async () => {
    const app = await makeGithubApp();
    const { issue: pull_request, ...rest } = commented("> why?\n\n@isopod-agent explain");
    const about = { diff_hunk: "@@ -1 +1 @@\n-old\n+new", path: "README.md", line: 3 };
    const first = { ...rest, pull_request, comment: { ...rest.comment, ...about } };
    expect(await messageIn(app, "pull_request_review_comment", first)).toMatchObject({
      text: "explain",
      conversation: { id: "octo/repo#7", threadId: "900" },
      quoted: { text: "@@ -1 +1 @@\n-old\n+new\n\nwhy?", senderName: "README.md:3" },
    });
    const second = { ...first, comment: { ...first.comment, id: 901, in_reply_to_id: 900 } };
    expect(await messageIn(app, "pull_request_review_comment", second)).toMatchObject({
      ...{ messageId: "901", replyToId: "900" },
      conversation: { threadId: "900" },
    });
  });

  test("on a commit is a message to the commit's conversation", async () => {
    const app = await makeGithubApp();
    const sha = "a".repeat(40);
    const { issue: _, ...rest } = commented("@isopod-agent why?", {}, { commit_id: sha });
    expect((await messageIn(app, "commit_comment", rest)).conversation).toMatchObject({ id: `octo/repo@${sha}` });
  });

  test("in a discussion is answered by the discussion's node", async () => {
    const app = await makeGithubApp();
    const { issue: discussion, ...rest } = commented("@isopod-agent hello");
    const event = { ...rest, discussion: { ...discussion, node_id: "D_1" } };
    expect(await messageIn(app, "discussion_comment", event)).toMatchObject({
      conversation: { id: "octo/repo#7" },
      via: "installation=4711&discussion=D_1",
    });
  });
});

describe("an issue", () => {
  test("that is opened is its title and its text", async () => {
    const app = await makeGithubApp();
    const issue = { ...ISSUE, body: "@isopod-agent look" };
    expect(await messageIn(app, "issues", { ...ABOUT, action: "opened", issue })).toMatchObject({
      ...{ text: "It breaks\n\nlook", mentioned: true, dedupeId: "issues/500", messageId: "opening" },
    });
    const empty = { ...ISSUE, body: null };
    expect((await messageIn(app, "issues", { ...ABOUT, action: "opened", issue: empty })).text).toBe("It breaks");
  });

  test.each(["labeled", "closed", "reopened", "transferred", "locked"])("that is %s is answered", async (action) => {
    expect((await receive(await makeGithubApp(), "issues", { ...ABOUT, action })).kind).toBe("answered");
  });

  test("that is assigned to the agent addresses it where the account says so, by words that are the author's", async () => {
    const assigned = { ...ABOUT, action: "assigned", sender: BOB, assignee: { id: 9, login: "isopod-agent" } };
    expect(await reasonFor(await makeGithubApp(), "issues", assigned)).toBe("it was assigned");
    const app = await makeGithubApp({ alsoAddressedBy: ["assignment"] });
    expect(await messageIn(app, "issues", assigned)).toMatchObject({
      ...{ mentioned: true, sender: { id: "78" }, text: "[You were assigned to this.]" },
      quoted: { text: "It breaks\n\nLook.", senderName: "ada" },
    });
    expect(await reasonFor(app, "issues", { ...assigned, assignee: BOB })).toBe("it was assigned");
  });
});

describe("a pull request", () => {
  const { issue: pull_request, ...rest } = ABOUT;

  test("whose review is asked for addresses the agent where the account says so", async () => {
    const app = await makeGithubApp({ alsoAddressedBy: ["review_request"] });
    const reviewer = { id: 9, login: "isopod-agent[bot]" };
    const event = { ...rest, pull_request, action: "review_requested", requested_reviewer: reviewer };
    expect(await messageIn(app, "pull_request", event)).toMatchObject({
      ...{ mentioned: true, text: "[You were asked to review this.]" },
    });
  });

  test("that was reviewed brings the review's words and what it says, none brings nothing", async () => {
    const app = await makeGithubApp();
    const review = { id: 3, body: "@isopod-agent fix it", user: ADA, state: "changes_requested" };
    expect(
      await messageIn(app, "pull_request_review", { ...rest, pull_request, action: "submitted", review }),
    ).toMatchObject({ text: "[Review: changes requested]\n\nfix it", mentioned: true, messageId: "review-3" });
    const silent = {
      ...rest,
      pull_request,
      action: "submitted",
      review: { ...review, body: null, state: "commented" },
    };
    expect(await reasonFor(app, "pull_request_review", silent)).toBe("it has no text");
  });
});

describe("who acts", () => {
  test("the agent itself is not heard, as an app or as a user", async () => {
    const app = await makeGithubApp({ allowBots: true });
    for (const sender of [
      { id: 9, login: "isopod-agent[bot]", type: "Bot" },
      { id: 9, login: "Isopod-Agent", type: "User" },
    ]) {
      expect(await reasonFor(app, "issue_comment", commented("hi", { sender }))).toBe("the agent did it");
    }
  });

  test("other bots are heard only where the account lets them in", async () => {
    const sender = { id: 10, login: "ci[bot]", type: "Bot" };
    const event = commented("@isopod-agent hi", { sender }, { user: sender });
    expect(await reasonFor(await makeGithubApp(), "issue_comment", event)).toBe("a bot did it");
    const open = await makeGithubApp({ allowBots: true });
    expect((await messageIn(open, "issue_comment", event)).sender).toMatchObject({ isBot: true });
  });

  test("whose name is configured is not asked of GitHub; else it is asked once", async () => {
    const named = await makeGithubApp({ username: "friday" });
    expect((await messageIn(named, "issue_comment", commented("@friday hi"))).mentioned).toBe(true);
    expect(await named.place.calls()).toEqual([]);
    const asked = await makeGithubApp();
    for (let n = 0; n < 2; n++) await messageIn(asked, "issue_comment", commented("hi"));
    expect((await asked.place.calls()).map(({ path }) => path)).toEqual(["app"]);
  });

  test("is not guessed while GitHub does not answer: it sends the event again", async () => {
    const app = await makeGithubApp();
    await app.place.script({ path: "app", status: 500 });
    const received = await receive(app, "issue_comment", commented("hi"));
    expect(received.kind === "refused" && received.response.status).toBe(503);
  });
});

describe("a delivery", () => {
  test.each(["ping", "star", "push", "check_run", "installation"])("of the kind %s is answered", async (name) => {
    expect((await receive(await makeGithubApp(), name, { zen: "Keep it simple." })).kind).toBe("answered");
  });

  test("in the form of a form is read as well", async () => {
    const app = await makeGithubApp();
    const body = new URLSearchParams({ payload: JSON.stringify(commented("@isopod-agent hello")) }).toString();
    const request = await app.deliver("issue_comment", body);
    request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    expect(await github.receive(request, app.context)).toMatchObject({ kind: "events", events: [{ text: "hello" }] });
  });

  test.each([
    ["without a signature", {}],
    ["with the older one alone", { "X-Hub-Signature": "sha1=757107ea0eb2509fc211221cce984b8a37570b6d" }],
    ["with half of one", { "X-Hub-Signature-256": "sha256=abc" }],
  ])("%s is refused", async (_, headers: Record<string, string>) => {
    const app = await makeGithubApp();
    const body = JSON.stringify(commented("hi"));
    const request = new Request(WEBHOOK, { method: "POST", headers: { ...headers, "X-GitHub-Event": "push" }, body });
    const received = await github.receive(request, app.context);
    expect(received.kind === "refused" && received.response.status).toBe(401);
  });

  test("is verified before it is read", async () => {
    const app = await makeGithubApp();
    const signature = `sha256=${toHex(await hmac("SHA-256", `${HOOK_SECRET}x`, "{"))}`;
    const headers = { "X-Hub-Signature-256": signature, "X-GitHub-Event": "issues" };
    const received = await github.receive(new Request(WEBHOOK, { method: "POST", headers, body: "{" }), app.context);
    expect(received.kind === "refused" && received.response.status).toBe(401);
  });
});
