import { describe, expect, test } from "vitest";
import { addressedBy } from "../../src/channels/addressed.ts";
import type { AnyChannel } from "../../src/channels/channel.ts";
import { ownerKeyOf, targetOf } from "../../src/inbound/slot-requests.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { deliveredHere } from "../../src/session/jobs-port.ts";

/** A channel whose people and conversations have ids that look alike. */
const channel = {
  id: "telegram",
  conversationOf(id: string) {
    const [, person, bare] = /^(user:)?(\d+)$/.exec(id) ?? [];
    return bare === undefined ? undefined : { kind: person === undefined ? "channel" : "direct", id: bare };
  },
} as unknown as AnyChannel;

const config = wholeSchema.parse({ channels: { telegram: { accounts: { default: {} } } } });
const services = { config, channel: () => ({ channel, context: {} as never }) };
const owners = ["telegram:42"];

/** The owner's own chat, which has another id than the owner. */
const chat = addressedBy(
  { sender: { id: "42" }, conversation: { kind: "direct", id: "900" }, messageId: "1" },
  "telegram",
  "default",
).target;

describe("where ids of people look like those of conversations", () => {
  test("an owner who has not written yet is written to by their own id", () => {
    const { target } = targetOf({ target: "owner" }, { last: undefined, owners }, services);
    expect(target).toMatchObject({ kind: "direct", conversationId: "42" });
  });

  test("an owner who has written is written to in that chat, which is their session's", () => {
    const { replyToId: _, ...last } = chat;
    const { target } = targetOf({ target: "owner" }, { last, owners }, services);
    expect(target).toMatchObject({ kind: "direct", conversationId: "900", peerId: "42" });
    expect(ownerKeyOf(target, "agent:main:main", services, owners)).toEqual({});
  });

  test("a job that is set in an owner's chat is delivered there, whoever wrote last", () => {
    const { channel: place, ...delivery } = deliveredHere(chat).delivery as { channel: string };
    const { target } = targetOf({ target: place, ...delivery }, { last: undefined, owners }, services);
    expect(target).toMatchObject({ kind: "direct", conversationId: "900", peerId: "42" });
    expect(ownerKeyOf(target, "agent:main:main", services, owners)).toEqual({});
  });

  test("an address in words becomes the id that the platform knows", () => {
    const to = (address: string) =>
      targetOf({ target: "telegram", to: address }, { last: undefined, owners }, services);
    expect(to("user:42").target).toMatchObject({ kind: "direct", conversationId: "42" });
    expect(to("77").target).toMatchObject({ kind: "channel", conversationId: "77" });
  });
});
