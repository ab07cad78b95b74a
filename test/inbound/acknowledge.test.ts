import { describe, expect, test } from "vitest";
import type { AnyChannel, Delivery, InboundMessage, Reaction, ReactionLevel } from "../../src/channels/channel.ts";
import { messages } from "../../src/config/messages-schema.ts";
import { acknowledge } from "../../src/inbound/acknowledge.ts";
import type { OpenChannel } from "../../src/services/services.ts";

describe("an emoji that says that a message has come", () => {
  const READY: Delivery = { outcome: "delivered" };

  /** Which messages of a channel get it, with a scope. */
  async function acknowledged(scope: string, level: ReactionLevel = "minimal", emoji = "👀"): Promise<string[]> {
    const seen: string[] = [];
    const channel = {
      id: "test",
      reactions: {
        level: () => level,
        react: async ({ messageId, emoji: shown }: Reaction) => {
          seen.push(`${messageId} ${shown}`);
          return READY;
        },
      },
    } as unknown as AnyChannel;
    const config = messages.parse({ ackReaction: emoji, ackReactionScope: scope });
    const said = (messageId: string, kind: "direct" | "group", mentioned: boolean) =>
      ({ messageId, mentioned, conversation: { kind, id: "1" } }) as InboundMessage;
    const context = { accountId: "default", account: {} } as OpenChannel["context"];
    for (const message of [said("dm", "direct", true), said("named", "group", true), said("other", "group", false)]) {
      await acknowledge(message, { channel, context }, config);
    }
    return seen;
  }

  test.each([
    ["off", []],
    ["direct", ["dm 👀"]],
    ["group-mentions", ["named 👀"]],
    ["group-all", ["named 👀", "other 👀"]],
    ["all", ["dm 👀", "named 👀", "other 👀"]],
  ])("goes to those of the scope %s", async (scope, expected) => {
    expect(await acknowledged(scope)).toEqual(expected);
  });

  test("goes to none where there is no emoji, or the account's reactions are off, and to some where they are acks", async () => {
    expect(await acknowledged("all", "minimal", "")).toEqual([]);
    expect(await acknowledged("all", "off")).toEqual([]);
    expect(await acknowledged("direct", "ack")).toEqual(["dm 👀"]);
  });
});
