import { expect, test } from "vitest";
import { telegram } from "../../src/channels/telegram/telegram.ts";
import { ORIGINS } from "../../src/config/origins.ts";
import type { Message } from "../../src/models/message.ts";
import { offlineModel } from "../../src/models/offline.ts";
import { AgentCache } from "../../src/services/agent-cache.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { agentIn, type Services } from "../../src/services/services.ts";
import { NO_SKILLS } from "../../src/services/skills/turn-skills.ts";
import { ReadEtags } from "../../src/tools/read-etags.ts";
import {
  agentCapabilities,
  type CapabilityRow,
  capabilities,
  MATRIX_TOOLS,
  secretCapabilities,
} from "../../src/turn/capabilities.ts";
import { TurnGate } from "../../src/turn/gate.ts";
import type { TurnContext } from "../../src/turn/turn-context.ts";
import { turnPorts } from "../../src/turn/turn-ports.ts";
import { turnTools } from "../../src/turn/turn-tools.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

const NOBODY = { models: [], lacks: [] };

function wired(document: object): Services {
  const config = wholeSchema.parse(document);
  const channel = (id: string, accountId: string) => ({
    channel: { ...telegram, isReady: () => id === "telegram" },
    context: { accountId, account: config.channels[id]?.accounts?.[accountId] },
  });
  const plugins = { tools: [], skills: [], sections: { stable: [], dynamic: [] } };
  const rest = {
    installs: {},
    pages: new AgentCache(
      () => 0,
      () => 0,
    ),
    searches: new AgentCache(
      () => 0,
      () => 0,
    ),
    browser: { fetch: async () => new Response() },
    workspaceOf: () => ({}),
    memoryOf: () => ({}),
    secret: () => undefined,
    media: { transcribers: NOBODY, speakers: NOBODY, imageGenerators: NOBODY },
    modelRefOf: () => "offline/rules",
    model: offlineModel,
    configuration: {},
  };
  return { config, channel, plugins, browserZone: () => undefined, ...rest } as unknown as Services;
}

const CONFIGURATIONS: Record<string, object> = {
  defaults: { channels: { telegram: { accounts: { default: { groups: { "*": {} } } } } } },
  "others may run commands": {
    tools: { others: { allow: ["exec", "read"] }, deny: ["edit"] },
    channels: { telegram: { accounts: { default: { groups: { "*": {}, "-7": { tools: { deny: ["exec"] } } } } } } },
  },
  "refusing, with an allowlist": {
    security: { flow: "refuse", egress: { mode: "allowlist", trusted: ["api.example.org"] } },
    tools: { exec: { security: "allowlist", ask: "on-miss", allowlist: ["cat"] } },
    channels: { telegram: { accounts: { default: { groups: { "*": {} } } } } },
  },
  open: {
    security: { flow: "off" },
    tools: { profile: "full", exec: { ask: "always" } },
    channels: { telegram: { accounts: { default: { groups: { "*": {} } } } } },
  },
};

const NAMED = "https://named.example/x";
const UNNAMED = "https://unnamed.example/y";

/** The conversation of a row: the sender's message, after what was read. */
function conversation({ sender, read, place }: CapabilityRow): Message[] {
  const said = (id: string, owner: boolean, text: string): Message => ({
    ...{ role: "user", id: `msg_${id}`, at: 0, text, sender: { id, owner } },
    said: { at: 0, zone: "UTC", place: place.includes("group") ? "group" : "direct", as: `telegram:${id}` },
  });
  const foreign: Message[] =
    read === "stranger"
      ? [said("0", false, "hello")]
      : read === "host"
        ? [
            {
              role: "tool",
              id: "t",
              at: 0,
              callId: "c",
              tool: "exec",
              text: "a page",
              isError: false,
              labels: ["host:example.org"],
            },
          ]
        : [];
  return [...foreign, said(sender === "owner" ? "1" : "0", sender === "owner", `See ${NAMED}`)];
}

function turnOf(row: CapabilityRow, services: Services): TurnContext {
  const isGroup = row.place.includes("group");
  const group = /group (-\d+)$/.exec(row.place)?.[1] ?? "-1";
  const target =
    row.place === "direct"
      ? null
      : {
          channel: "telegram",
          accountId: "default",
          kind: isGroup ? "group" : "direct",
          conversationId: isGroup ? group : "1",
        };
  return {
    services,
    agent: agentIn(services, "main"),
    session: { key: isGroup ? `agent:main:telegram:group:${group}` : "agent:main:main", settings: {} },
    principal: { owner: row.sender === "owner", place: isGroup ? "group" : "direct" },
    origin: { ...ORIGINS.person, isAttended: row.attended },
    target: target as TurnContext["target"],
    mode: "full",
  };
}

const VERDICTS = { go: "allow", ask: "ask", refuse: "deny" } as const;

/** Tries an action for real: the tool with arguments that do it, through the gate that the loop asks. */
async function tried(
  action: string,
  resource: string,
  context: TurnContext,
  gate: TurnGate,
): Promise<string | undefined> {
  const all = turnTools(
    { ...context, principal: { ...context.principal, owner: true } },
    {
      ports: turnPorts({ ...context, principal: { ...context.principal, owner: true } }),
      readEtags: new ReadEtags(),
      extraTools: [],
      servers: undefined,
      skills: NO_SKILLS,
      gate: everything(gate),
      suspect: () => undefined,
      budget: undefined,
      workspaceFor: () => ({}) as Workspace,
    },
    {} as Workspace,
  );
  const call = async (name: string, args: object) => {
    const tool = all.find((one) => one.name === name);
    return tool && VERDICTS[(await gate.decide({ callId: "c", tool, args })).kind];
  };
  switch (`${action} ${resource}`) {
    case "persist AGENTS.md":
      return call("write", { path: "AGENTS.md", content: "x" });
    case "send-message another conversation":
      return call("message", { action: "send", to: "telegram:99", text: "x" });
    case "send-message the conversation that asked":
      return call("message", { action: "send", text: "x" });
    case "read-private MEMORY.md":
      return call("read", { path: "MEMORY.md" });
    case "reach-host a host that nobody named":
      return call("web_fetch", { url: UNNAMED });
    case "reach-host an address that somebody named":
      return call("web_fetch", { url: NAMED });
    default:
      return undefined;
  }
}

/** A gate that gives every tool, so that a call can be tried whether or not the turn would have its tool. */
function everything(gate: TurnGate): TurnGate {
  return Object.assign(Object.create(gate) as TurnGate, { has: () => true, guard: (tool: object) => tool });
}

test.each(Object.entries(CONFIGURATIONS))("every cell of the matrix is what happens: %s", async (_, document) => {
  const services = wired(document);
  let cells = 0;
  for (const row of capabilities(services, "main")) {
    const context = turnOf(row, services);
    const gate = new TurnGate(context, { messages: () => conversation(row), grants: [], audit: () => undefined });
    for (const { action, resource, verdict } of row.cells) {
      const where = `${row.sender}, ${row.place}, ${row.read}, ${row.attended}: ${action} ${resource}`;
      cells += 1;
      if (action === "use-tool") {
        expect([where, gate.has(resource) ? "allow" : "deny"]).toEqual([where, verdict]);
        continue;
      }
      const got = await tried(action, resource, context, gate);
      if (got !== undefined) expect([where, got]).toEqual([where, verdict]);
      if (action === "reach-host") {
        const url = resource.startsWith("a host") ? UNNAMED : NAMED;
        const refusal = gate.mayReach(false)({ url, sends: false, labels: [] });
        expect([where, refusal === undefined]).toEqual([where, verdict === "allow"]);
      }
    }
  }
  expect(cells).toBeGreaterThan(25 * MATRIX_TOOLS.length);
});

test("the secrets of skills are listed by name, with what commands see of them and where they may go", () => {
  const key = (id: string) => ({ source: "env", id });
  const entries = {
    named: { apiKey: key("A_KEY"), env: { B: key("B_KEY") }, hosts: ["api.example.org"] },
    asked: { apiKey: key("C_KEY") },
    signing: { apiKey: key("D_KEY"), secretMode: "value", hosts: ["api.example.org"] },
    none: { enabled: false },
  };
  expect(secretCapabilities(wired({ skills: { entries } }).config.skills.entries)).toEqual([
    { skill: "named", secrets: ["A_KEY", "B_KEY"], sees: "placeholder", hosts: ["api.example.org"] },
    { skill: "asked", secrets: ["C_KEY"], sees: "placeholder" },
    { skill: "signing", secrets: ["D_KEY"], sees: "value" },
  ]);
});

test("each tool for media has its models, or says why it is not there and what to set", () => {
  const lacks = ["'groq' has no key. Set GROQ_API_KEY."];
  const imageGenerators = { models: [{ ref: "painter/brush" }], lacks };
  const services = { ...wired({}), media: { transcribers: { models: [], lacks }, speakers: NOBODY, imageGenerators } };
  expect(agentCapabilities(services as unknown as Services, "main").media).toEqual([
    {
      tool: "image",
      why: "offline/rules is not known to see pictures.",
      fix: "Name a model that does in agents.defaults.imageModel.",
    },
    { tool: "transcribe", why: lacks[0], fix: expect.stringContaining("tools.media.audio.models") },
    { tool: "tts", why: "Nobody reads aloud.", fix: expect.stringContaining("messages.tts.provider") },
    { tool: "image_generate", models: ["painter/brush"] },
  ]);
  const seeing = wired({ agents: { defaults: { imageModel: "eye/eagle" } } });
  expect(agentCapabilities(seeing, "main").media[0]).toEqual({ tool: "image", models: ["eye/eagle"] });
});

test("the tools of OpenClaw that no turn has are listed with the reason", () => {
  const absent = (services: Services) => agentCapabilities(services, "main").absent.map(({ tool }) => tool);
  expect(absent(wired({}))).toEqual(["canvas", "nodes"]);
  expect(absent({ ...wired({}), browser: undefined })).toEqual(["browser", "canvas", "nodes"]);
  expect(absent(wired({ tools: { web: { browser: { enabled: false } } } }))).toEqual(["browser", "canvas", "nodes"]);
});
