import { describe, expect, test } from "vitest";
import { decideAccess, isOwnerPeer, personOf } from "../../src/channels/access.ts";
import type { AccessPolicy, Conversation, InboundMessage } from "../../src/channels/channel.ts";

const careful: AccessPolicy = {
  dmPolicy: "pairing",
  allowFrom: [],
  groupPolicy: "allowlist",
  groups: {},
  requireMention: true,
  allowBots: false,
};

interface Speaking {
  sender?: InboundMessage["sender"];
  conversation?: Conversation;
  mentioned?: boolean;
  pairedIds?: string[];
  owners?: string[];
}

function decide(policy: Partial<AccessPolicy>, speaking: Speaking = {}) {
  const {
    sender = { id: "7", username: "Ada" },
    conversation = { kind: "direct", id: "7" },
    mentioned = true,
  } = speaking;
  return decideAccess({
    channelId: "telegram",
    policy: { ...careful, ...policy },
    message: { sender, conversation, mentioned },
    person: sender,
    pairedIds: new Set(speaking.pairedIds),
    owners: speaking.owners ?? [],
  });
}

const group: Conversation = { kind: "group", id: "-100" };

describe("access to direct messages", () => {
  test("a stranger is offered pairing, and is allowed once paired", () => {
    expect(decide({})).toEqual({ kind: "pair" });
    expect(decide({}, { pairedIds: ["7"] })).toEqual({ kind: "allow", owner: false });
  });

  test("a sender whom nothing proves has the rights of nobody: not an owner's, not those of a list or a pairing", () => {
    const sender = { id: "7", username: "Ada", isUnverified: true } as const;
    const refused = { kind: "ignore", reason: "nothing proves who the sender is" };
    expect(decide({}, { sender, owners: ["telegram:7"], pairedIds: ["7"] })).toEqual(refused);
    expect(decide({ dmPolicy: "allowlist", allowFrom: ["7", "*"] }, { sender })).toEqual(refused);
    expect(decide({ dmPolicy: "open" }, { sender, owners: ["telegram:7"] })).toEqual({ kind: "allow", owner: false });
    const addressed = { sender, conversation: group, owners: ["telegram:7"] };
    expect(decide({ groupPolicy: "open" }, addressed)).toEqual({ kind: "allow", owner: false });
  });

  test("an owner is allowed without pairing, as an owner", () => {
    for (const owner of ["telegram:7", "7", "@ada", "telegram:@ADA"]) {
      expect(decide({}, { owners: [owner] }), owner).toEqual({ kind: "allow", owner: true });
    }
  });

  test("the same id on another channel is another person", () => {
    expect(decide({}, { owners: ["discord:7"] })).toEqual({ kind: "pair" });
    // A service that lets people choose their ids: one chose an owner's of another channel.
    const sender = { id: "discord:7" };
    expect(decide({}, { sender, owners: ["discord:7"] })).toEqual({ kind: "pair" });
  });

  test("neither a star nor a username that looks like an id makes an owner", () => {
    expect(decide({}, { owners: ["*"] })).toEqual({ kind: "pair" });
    expect(decide({}, { sender: { id: "8", username: "7" }, owners: ["7"] })).toEqual({ kind: "pair" });
  });

  test("an allow-list allows its ids and usernames only, paired or not", () => {
    for (const entry of ["7", "@ADA", "*", "telegram:7", "telegram:@ada"]) {
      expect(decide({ dmPolicy: "allowlist", allowFrom: [entry] })).toEqual({ kind: "allow", owner: false });
    }
    const decision = decide({ dmPolicy: "allowlist", allowFrom: ["@bob", "Ada"] }, { pairedIds: ["7"] });
    expect(decision).toMatchObject({ kind: "ignore", reason: expect.stringContaining("allowFrom") });
  });

  test("an open account allows everyone, a disabled one not even its owner", () => {
    expect(decide({ dmPolicy: "open" })).toEqual({ kind: "allow", owner: false });
    expect(decide({ dmPolicy: "disabled" }, { owners: ["7"] })).toMatchObject({ kind: "ignore" });
  });
});

describe("access in groups", () => {
  test("an unlisted group is ignored, even for its owner's messages", () => {
    expect(decide({}, { conversation: group, owners: ["7"] })).toMatchObject({ kind: "ignore" });
  });

  test("a listed group is allowed when it addresses the agent", () => {
    const groups = { "-100": {} };
    expect(decide({ groups }, { conversation: group })).toEqual({ kind: "allow", owner: false });
    expect(decide({ groups }, { conversation: group, mentioned: false })).toMatchObject({ kind: "overhear" });
  });

  test("a group's mention rule overrides the star's, which overrides the account's", () => {
    const unmentioned = { conversation: group, mentioned: false };
    expect(decide({ groups: { "*": { requireMention: false } } }, unmentioned)).toMatchObject({ kind: "allow" });
    const both = { "*": { requireMention: false }, "-100": { requireMention: true, allowBots: false } };
    expect(decide({ groups: both }, unmentioned)).toMatchObject({ kind: "overhear" });
    expect(decide({ groups: { "-100": {} }, requireMention: false }, unmentioned)).toMatchObject({ kind: "allow" });
  });

  test("a thread with an id of its own has the rules of its channel, unless it is named itself", () => {
    const thread: Conversation = { kind: "channel", id: "-200", parentId: "-100" };
    const groups = { "-100": { requireMention: false } };
    expect(decide({}, { conversation: thread })).toMatchObject({ kind: "ignore" });
    expect(decide({ groups }, { conversation: thread, mentioned: false })).toMatchObject({ kind: "allow" });
    const both = { ...groups, "-200": { requireMention: true } };
    expect(decide({ groups: both }, { conversation: thread, mentioned: false })).toMatchObject({ kind: "overhear" });
  });

  test("the policy open allows every group, disabled none", () => {
    expect(decide({ groupPolicy: "open" }, { conversation: group })).toEqual({ kind: "allow", owner: false });
    const closed = decide({ groupPolicy: "disabled", groups: { "*": {} } }, { conversation: group });
    expect(closed).toMatchObject({ kind: "ignore" });
  });

  test("a group id that names a property of Object.prototype is not allowed", () => {
    expect(decide({}, { conversation: { kind: "group", id: "constructor" } })).toMatchObject({ kind: "ignore" });
  });

  test("the allow-list of direct messages does not apply to groups", () => {
    expect(decide({ dmPolicy: "disabled", groups: { "-100": {} } }, { conversation: group })).toMatchObject({
      kind: "allow",
    });
  });
});

describe("where accounts have ids of their own", () => {
  const company = { hasOwnIds: true } as const;
  const sender = { id: "zhang", username: "Zhang" };

  test("an owner is one person of one account", () => {
    const peer = { channel: "wecom", peerId: "zhang", ...company };
    expect(isOwnerPeer(["wecom:zhang"], { ...peer, accountId: "default" })).toBe(true);
    expect(isOwnerPeer(["wecom:zhang", "zhang"], { ...peer, accountId: "acme" })).toBe(false);
    expect(isOwnerPeer(["wecom:acme/zhang"], { ...peer, accountId: "acme" })).toBe(true);
    expect(isOwnerPeer(["wecom:acme/zhang"], { ...peer, accountId: "default" })).toBe(false);
  });

  test("an id that looks like one of another account is not taken for it", () => {
    const forged = { channel: "webhook", accountId: "default", peerId: "acme/zhang", ...company };
    expect(isOwnerPeer(["webhook:acme/zhang"], forged)).toBe(false);
  });

  test("a username is one of the account that is named by nothing", () => {
    expect(personOf(sender, company, "default")).toEqual(sender);
    expect(personOf(sender, company, "acme")).toEqual({ id: "acme/zhang" });
    expect(personOf(sender, {}, "acme")).toEqual(sender);
  });
});
