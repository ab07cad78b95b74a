import { describe, expect, test } from "vitest";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../../src/config/bindings.ts";
import { checkConfig } from "../../src/config/faults.ts";
import { wholeSchema } from "./whole-schema.ts";

function configOf(document: object) {
  const checked = checkConfig(wholeSchema, document);
  if (checked.kind === "invalid") throw new Error(JSON.stringify(checked.faults));
  return checked.config;
}

const AGENTS = { list: ["main", "any", "account", "team", "guild", "groups", "peer"].map((id) => ({ id })) };
const DISCORD = { channel: "discord" };
/** From the widest to the closest, and written down in an order that must not matter. */
const BINDINGS = [
  { agentId: "account", match: { ...DISCORD, accountId: "work" } },
  { agentId: "peer", match: { ...DISCORD, accountId: "*", peer: { kind: "group", id: "g1" } } },
  { agentId: "any", match: { ...DISCORD, accountId: "*" } },
  { agentId: "guild", match: { ...DISCORD, accountId: "*", guildId: "s1" } },
  { agentId: "groups", match: { ...DISCORD, accountId: "*", peer: { kind: "group", id: "*" } } },
  { agentId: "team", match: { channel: "slack", teamId: "t1" } },
];
const config = configOf({ agents: AGENTS, bindings: BINDINGS });

function place(more: Partial<RoutingInput> = {}): RoutingInput {
  return {
    channel: "discord",
    accountId: "x",
    kind: "direct",
    conversationId: "d1",
    peerId: "u1",
    owner: false,
    ...more,
  };
}

describe("the agent that answers", () => {
  test.each<[string, Partial<RoutingInput>, string]>([
    ["the agent of the channel", {}, "any"],
    ["the agent of the account", { accountId: "work" }, "account"],
    ["the agent of the server, whatever the account", { accountId: "work", kind: "channel", spaceId: "s1" }, "guild"],
    ["the agent of groups", { kind: "group", conversationId: "g2", spaceId: "s1" }, "groups"],
    ["the agent of this group", { kind: "group", conversationId: "g1", spaceId: "s1" }, "peer"],
    ["nobody but the default agent elsewhere", { channel: "telegram" }, "main"],
    [
      "the agent of a workspace, on the usual account",
      { channel: "slack", accountId: "default", spaceId: "t1" },
      "team",
    ],
    ["the default agent on another account, where none is named", { channel: "slack", spaceId: "t1" }, "main"],
  ])("is %s", (_, more, agentId) => {
    expect(routedAgentId(config, place(more))).toBe(agentId);
  });

  test("is that of the first of two equally close bindings", () => {
    const match = { channel: "discord", accountId: "*" };
    const twice = configOf({
      agents: AGENTS,
      bindings: [
        { agentId: "team", match },
        { agentId: "any", match },
      ],
    });
    expect(routedAgentId(twice, place())).toBe("team");
  });

  test("in a direct conversation depends on the sender", () => {
    const peer = { kind: "direct", id: "u1" };
    const bound = configOf({
      agents: AGENTS,
      bindings: [{ agentId: "peer", match: { channel: "discord", accountId: "*", peer } }],
    });
    expect(routedAgentId(bound, place())).toBe("peer");
    expect(routedAgentId(bound, place({ peerId: "u2" }))).toBe("main");
    expect(routedAgentId(bound, place({ kind: "group", conversationId: "u1" }))).toBe("main");
  });
});

test("a binding to an agent that is not configured is refused by its path", () => {
  const checked = checkConfig(wholeSchema, { bindings: [{ agentId: "nobody", match: { channel: "telegram" } }] });
  expect(checked).toMatchObject({ kind: "invalid", faults: [{ path: "bindings[0].agentId" }] });
});

test("linked ids share one session on every channel, and no one else shares it", () => {
  const identityLinks = { ada: ["telegram:1", "discord:u1"] };
  const linked = configOf({ session: { dmScope: "per-peer", identityLinks } });
  const key = (more: Partial<RoutingInput>) => routedSessionKey(linked, "main", place(more));
  expect(key({})).toBe("agent:main:direct:ada");
  expect(key({ channel: "telegram", peerId: "1" })).toBe("agent:main:direct:ada");
  expect(key({ channel: "telegram", peerId: "u1" })).toBe("agent:main:direct:u1");
  expect(key({ peerId: "u2" })).toBe("agent:main:direct:u2");
});

test("a visitor of a page shares no session with others, whatever the scope", () => {
  for (const dmScope of ["auto", "main", "per-peer", "per-channel-peer", "per-account-channel-peer"]) {
    const scoped = configOf({ session: { dmScope } });
    const keyOf = (peerId: string) => routedSessionKey(scoped, "main", place({ peerId, isVisitor: true }));
    expect(new Set([keyOf("v1"), keyOf("v2"), "agent:main:main"]).size, dmScope).toBe(3);
  }
});

test("people and groups of accounts with ids of their own share no session", () => {
  const keyOf = (more: Partial<RoutingInput>) =>
    routedSessionKey(config, "main", place({ channel: "wecom", hasOwnIds: true, peerId: "zhang", ...more }));
  expect(keyOf({ accountId: "default" })).toBe("agent:main:wecom:direct:zhang");
  expect(keyOf({ accountId: "acme" })).toBe("agent:main:wecom:direct:acme%2Fzhang");
  const group = { kind: "group", conversationId: "g1" } as const;
  expect(keyOf({ accountId: "acme", ...group })).toBe("agent:main:wecom:group:acme%2Fg1");
  expect(keyOf({ accountId: "default", peerId: "acme/zhang" })).toBe("agent:main:wecom:direct:default%2Facme%2Fzhang");
});

test("a person is linked by an id with its account, where accounts have ids of their own", () => {
  const linked = configOf({ session: { identityLinks: { ada: ["wecom:acme/zhang"] }, dmScope: "per-peer" } });
  const person = place({ channel: "wecom", hasOwnIds: true, peerId: "zhang" });
  expect(routedSessionKey(linked, "main", { ...person, accountId: "acme" })).toBe("agent:main:direct:ada");
  expect(routedSessionKey(linked, "main", { ...person, accountId: "default" })).toBe("agent:main:direct:zhang");
});
