import { listChannels } from "../../src/channels/index.ts";
import { ORIGINS } from "../../src/config/origins.ts";
import { createModelResolver } from "../../src/models/index.ts";
import { contributedBy } from "../../src/plugins/contributions.ts";
import type { PromptInput } from "../../src/prompt/input.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { agentIn, type Services } from "../../src/services/services.ts";
import { scannedSkills } from "../../src/services/skills/scanned-skills.ts";
import { NO_SKILLS } from "../../src/services/skills/turn-skills.ts";
import { turnSkills } from "../../src/services/skills/turn-skills-of.ts";
import { BUNDLED_SKILLS } from "../../src/skills/bundled-skills.ts";
import { discover } from "../../src/skills/discover.ts";
import { bundledRoot } from "../../src/skills/roots.ts";
import { SkillCache } from "../../src/skills/skill-cache.ts";
import { ReadEtags } from "../../src/tools/read-etags.ts";
import { promptInput } from "../../src/turn/prompt-input.ts";
import { promptModeOf, type TurnContext } from "../../src/turn/turn-context.ts";
import { turnPorts } from "../../src/turn/turn-ports.ts";
import { turnTools } from "../../src/turn/turn-tools.ts";
import type { BootstrapFile } from "../../src/workspace/bootstrap.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { bootstrapFile } from "./inputs.ts";

/** One turn whose whole prompt is kept in `test/fixtures/prompts/<name>.md`. */
export interface Turn {
  name: string;
  input: PromptInput;
}

/** What a turn is made from, besides what all of them share. */
interface Setting {
  turnContext: Omit<TurnContext, "mode" | "services" | "agent" | "origin">;
  files: readonly BootstrapFile[];
  model?: string;
  config?: object;
}

const CONFIG = {
  agents: {
    defaults: {
      userTimezone: "Europe/Berlin",
      thinkingDefault: "low",
      heartbeat: { every: "30m" },
      models: { "openai/gpt-5-mini": { alias: "fast" } },
    },
  },
  prompt: { docsUrl: "https://isopod.example/docs" },
  channels: { telegram: { accounts: { default: {} } } },
};

const AGENTS = bootstrapFile("AGENTS.md", "# How I work\n\nKeep notes in memory/. Ask before anything public.");
const SOUL = bootstrapFile("SOUL.md", "# Soul\n\nWarm, brief, a little dry.");
const TOOLS = bootstrapFile("TOOLS.md", "# Tools\n\nThe garden camera is called north.");
const IDENTITY = bootstrapFile("IDENTITY.md", "# Identity\n\nName: Pill");
const HEARTBEAT = bootstrapFile("HEARTBEAT.md", "Check the garden's soil sensor.");
const IN_PUBLIC = [AGENTS, SOUL, TOOLS, IDENTITY, HEARTBEAT];
const IN_PRIVATE = [
  ...[AGENTS, SOUL, TOOLS, IDENTITY],
  bootstrapFile("USER.md", "# User\n\nCall her Ada."),
  HEARTBEAT,
  bootstrapFile("MEMORY.md", "Ada grows tomatoes."),
];
const CUT_MEMORY: BootstrapFile = {
  path: "MEMORY.md",
  content: "The start of a long memory.\n[… 25000 characters left out …]\nThe end.",
  rawChars: 45_000,
  injectedChars: 20_000,
  truncated: true,
  missing: false,
};

const OWNER = { owner: true, place: "direct" } as const;
const DEFAULT_MODEL = "anthropic/claude-sonnet";

/** What a look finds where nobody has added a skill. */
const FOUND = scannedSkills({
  ...(await discover([bundledRoot(BUNDLED_SKILLS)], wholeSchema.parse({}).skills.limits, new SkillCache())),
  quarantined: new Map(),
});

/** The turns that prompts are kept of, made by what makes those of live turns. */
export const TURNS: readonly Turn[] = [
  turn("telegram-direct", {
    turnContext: {
      session: { key: "agent:main:main", settings: {} },
      principal: OWNER,
      target: { channel: "telegram", accountId: "default", kind: "direct" },
    },
    files: IN_PRIVATE,
  }),
  turn("discord-group", {
    turnContext: {
      session: { key: "agent:main:discord:group:1042", settings: {} },
      principal: { owner: false, place: "group" },
      target: { channel: "discord", accountId: "default", kind: "group" },
      extraContext: "The allotment's neighbours plan the week here.",
    },
    files: IN_PUBLIC,
  }),
  turn("heartbeat", {
    turnContext: { session: { key: "agent:main:main", settings: {} }, principal: OWNER, target: null },
    files: IN_PRIVATE,
  }),
  turn("sub-agent", {
    turnContext: {
      session: {
        key: "agent:main:subagent:7b0c",
        settings: { spawned: { lineage: ["agent:main:main"], label: "rain barrels" } },
      },
      principal: OWNER,
      target: null,
    },
    files: [AGENTS, TOOLS],
  }),
  turn("cron", {
    turnContext: { session: { key: "agent:main:cron:water-plan", settings: {} }, principal: OWNER, target: null },
    files: [AGENTS, TOOLS],
  }),
  turn("offline", {
    turnContext: { session: { key: "agent:main:main", settings: {} }, principal: OWNER, target: null },
    files: [AGENTS, CUT_MEMORY],
    model: "offline/rules",
    config: {},
  }),
  turn("gpt-5", {
    turnContext: { session: { key: "agent:main:main", settings: {} }, principal: OWNER, target: null },
    files: [AGENTS],
    model: "openai/gpt-5",
  }),
];

function turn(name: string, { turnContext, files, model = DEFAULT_MODEL, config = CONFIG }: Setting): Turn {
  const services = wired(config);
  const agent = agentIn(services, "main");
  const mode = promptModeOf(turnContext.session.key);
  const moment: TurnContext = { services, agent, origin: ORIGINS.person, mode, ...turnContext };
  const skills = moment.principal.owner ? turnSkills(FOUND, agent, services) : NO_SKILLS;
  const noWorkspace = {} as Workspace;
  const tools = turnTools(
    moment,
    { ports: turnPorts(moment), readEtags: new ReadEtags(), extraTools: services.plugins.tools, skills },
    noWorkspace,
  );
  const facts = {
    tools,
    skills,
    files: { shown: files, warnings: [] },
    owners: ["73475cb40a56"],
    model,
  };
  return { name, input: promptInput(moment, facts) };
}

/** What prompts are made from of what a Worker opens; Discord stands for a channel with groups. */
function wired(document: object): Services {
  const config = wholeSchema.parse(document);
  const ready = { isReady: () => true };
  const channels = new Map<string, object>([
    ...listChannels().map((channel) => [channel.id, { ...channel, ...ready }] as const),
    ["discord", { id: "discord", capabilities: ["reactions"], reactions: { level: () => "extensive" }, ...ready }],
  ]);
  const channel = (id: string) => ({
    channel: channels.get(id),
    context: { account: config.channels[id]?.accounts.default },
  });
  const contributionFor = (ref: string) => contributedBy([], ref);
  const plugins = { tools: [], skills: [], sections: { stable: [], dynamic: [] }, contributionFor };
  const { models, auth } = config;
  const resolver = createModelResolver({ providers: models.providers, auth, secret: () => "a key", fetch });
  const model = (ref: string) => resolver.resolve(ref);
  const stores = { installs: {}, workspaceOf: () => ({}), memoryOf: () => ({}), secret: () => undefined };
  const host = "cloudflare-workers";
  return { config, host, channel, model, plugins, configuration: {}, ...stores } as unknown as Services;
}
