import { github } from "../../../src/channels/github/github.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { shownMarkdown } from "../shown-markdown.ts";
import { commented, makeGithubApp } from "./test-app.ts";

const LIMIT = { message: "You have exceeded a secondary rate limit." };
const FORBIDDEN = { status: 403, body: { message: "Resource not accessible by integration" } };

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer[]> = {
  busy: [{ path: "issues/7/comments", status: 403, headers: { "Retry-After": "7" }, body: LIMIT }],
  refusing: [
    { path: "issues/7/comments", ...FORBIDDEN },
    { path: "reactions", ...FORBIDDEN },
  ],
  silent: [{ path: "issues/7/comments", hang: true }],
  "cut after taking": [{ path: "issues/7/comments", cut: "after" }],
};

channelContract("github", async () => {
  const app = await makeGithubApp();
  const hello = commented("@isopod-agent hello");
  return {
    channel: github,
    context: app.context,
    minimalAccount: {},
    target: app.target,
    secrets: app.secrets,
    maxPart: 65_536,
    place: "group",
    genuine: () => app.deliver("issue_comment", hello),
    genuineWith: (body) => app.deliver("issue_comment", body),
    forged: () => app.deliver("issue_comment", hello, "another secret"),
    withoutSecrets: () => ({ ...app.context, secret: () => undefined }),
    shown: shownMarkdown,
    behave: (behaviour) => app.place.script(...ANSWERS[behaviour]),
    taken: async () => (await app.comments()).map(({ body }) => body),
  };
});
