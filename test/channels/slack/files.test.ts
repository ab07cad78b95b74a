import { describe, expect, test } from "vitest";
import type { Target } from "../../../src/channels/channel.ts";
import { slack } from "../../../src/channels/slack/slack.ts";
import { makeApp, type TestApp } from "./test-app.ts";

const signal = () => new AbortController().signal;
const CHANNEL: Target = { channel: "slack", accountId: "default", kind: "channel", conversationId: "C0LABCHAN1" };
const THREAD = "1799999990.000100";

const open = async (app: TestApp, name: string, more: object = {}) =>
  new Response(
    await slack.openAttachment?.(
      { fileId: "F0LAB", url: `${app.place.url}/files-pri/${name}`, ...more },
      app.context,
      signal(),
    ),
  ).text();

describe("a file that was sent to the agent", () => {
  test("is downloaded with the token, also where Slack has moved it", async () => {
    const app = makeApp();
    expect(await open(app, "moved")).toBe("contents of found");
    const calls = await app.place.calls("files-pri");
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${app.token}`, `Bearer ${app.token}`]);
  });

  test("is asked about first where the event has no address", async () => {
    const app = makeApp();
    const body = await slack.openAttachment?.({ fileId: "F0SHARED" }, app.context, signal());
    expect(await new Response(body).text()).toBe("contents of F0SHARED");
  });

  test("is not fetched from elsewhere, so that nobody else gets the token", async () => {
    const app = makeApp();
    await expect(open(app, "abroad")).rejects.toThrow("not on a server of Slack's");
    await expect(
      slack.openAttachment?.({ fileId: "F0LAB", url: "https://evil.example/x" }, app.context, signal()),
    ).rejects.toThrow("not on a server of Slack's");
  });

  test("is not the page to sign in that Slack shows without the scope", async () => {
    const app = makeApp();
    await expect(open(app, "signin")).rejects.toThrow("files:read");
    expect(await open(app, "signin", { isPage: true })).toContain("Sign in");
  });

  test("that cannot be had says why", async () => {
    const app = makeApp();
    await expect(open(app, "gone")).rejects.toThrow("404");
    await app.place.script({ path: "files.info", body: { ok: false, error: "file_deleted" } });
    await expect(slack.openAttachment?.({ fileId: "F0GONE" }, app.context, signal())).rejects.toThrow("file_deleted");
    await app.place.script(...Array.from({ length: 5 }, () => ({ status: 302, headers: { Location: "round" } })));
    await expect(open(app, "round")).rejects.toThrow("too many redirects");
  });
});

describe("a file of the agent's", () => {
  const sendFile = (app: TestApp, target: Target) => {
    const bytes = Uint8Array.from(new TextEncoder().encode("甲 one"));
    const file = { name: "a.txt", mediaType: "text/plain", bytes, asVoice: false, deliveryId: "dlv_1" };
    return slack.sendFile?.({ ...file, target }, app.context, signal());
  };

  test("is uploaded and shared in its thread", async () => {
    const app = makeApp();
    const delivery = await sendFile(app, { ...CHANNEL, threadId: THREAD });
    expect(delivery).toEqual({ outcome: "delivered", externalId: expect.stringMatching(/^F0LAB/) });
    const [asked, stored, shared] = await app.place.calls();
    expect(asked?.fields).toEqual({ filename: "a.txt", length: "7" });
    expect(stored?.body).toBe("甲 one");
    expect(stored?.headers.authorization).toBeUndefined();
    expect(shared?.fields).toMatchObject({ channel_id: "C0LABCHAN1", thread_ts: THREAD });
  });

  test("is shared in a member's DM, which is opened first", async () => {
    for (const target of [
      { ...CHANNEL, via: "U0LABADA01" },
      { ...CHANNEL, conversationId: "U0LABADA01" },
    ]) {
      const app = makeApp();
      expect(await sendFile(app, target)).toMatchObject({ outcome: "delivered" });
      const [shared] = await app.place.calls("files.completeUploadExternal");
      expect(shared?.fields.channel_id).toBe("D0LABADA01");
    }
  });

  test.each(["files.getUploadURLExternal", "upload/"])(
    "whose way is lost at %s was seen by nobody, and is tried again",
    async (path) => {
      const app = makeApp();
      await app.place.script({ path, cut: "after" }, { path, status: 500, body: "broken" });
      expect(await sendFile(app, CHANNEL)).toMatchObject({ outcome: "retry" });
      expect(await sendFile(app, CHANNEL)).toMatchObject({ outcome: "retry" });
      expect(await app.place.calls("files.completeUploadExternal")).toEqual([]);
      expect(await sendFile(app, CHANNEL)).toMatchObject({ outcome: "delivered" });
    },
  );

  test("that the workspace does not take fails", async () => {
    const app = makeApp();
    await app.place.script({ path: "files.getUploadURLExternal", body: { ok: false, error: "file_uploads_disabled" } });
    expect(await sendFile(app, CHANNEL)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("file_uploads"),
    });
  });
});
