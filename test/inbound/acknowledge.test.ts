import { describe, expect, test } from "vitest";
import type { AnyChannel, Delivery, InboundMessage, Reaction, ReactionLevel } from "../../src/channels/channel.ts";
import { messages } from "../../src/config/messages-schema.ts";
import { acknowledge } from "../../src/inbound/acknowledge.ts";
import type { OpenChannel } from "../../src/services/services.ts";

describe("the acknowledgement reaction", () => {
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
      ({ messageId, mentioned, sender: { id: "1" }, conversation: { kind, id: "1" } }) as InboundMessage;
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
  ])("with ackReactionScope %s is added to the messages of that scope", async (scope, expected) => {
    expect(await acknowledged(scope)).toEqual(expected);
  });

  test("is not added without an emoji or with the account's reactions off, and is added with reactions for acks only", async () => {
    expect(await acknowledged("all", "minimal", "")).toEqual([]);
    expect(await acknowledged("all", "off")).toEqual([]);
    expect(await acknowledged("direct", "ack")).toEqual(["dm 👀"]);
  });
});
