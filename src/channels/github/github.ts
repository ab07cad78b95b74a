import type { Channel } from "../channel.ts";
import { githubMarkup } from "../markup/markdown-platforms.ts";
import { formatMessages } from "../markup/markup.ts";
import { accessOf, type GithubAccount, githubAccount, githubLogin } from "./account.ts";
import { parseConversationId } from "./place.ts";

/** GitHub: comments on issues, pull requests, discussions and commits, by an app or a user of the agent's own. */
export const github: Channel<GithubAccount> = {
  id: "github",
  account: githubAccount,
  capabilities: ["reactions"],
  access: accessOf,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  isReady: (context) => Boolean(context.secret(context.account.webhookSecret)) && githubLogin(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, githubMarkup),
  plain: githubMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  reactions: {
    level: (account) => account.reactionLevel,
    react: async (...args) => (await import("./send.ts")).react(...args),
  },
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./check.ts")).connectAccount(...args),
};
