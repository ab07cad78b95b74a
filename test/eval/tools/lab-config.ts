import type { Task } from "./task.ts";

/** A model of the scripted provider that sees pictures. */
export const VISION_MODEL = "vision";
/** The model that transcribes recordings. */
export const TRANSCRIPTION_MODEL = "whisper-1";
export const TOKEN = "tools";
export const BOT = "7000000003:tools";
const OWNER = "telegram:501";

/** Where the servers are that stand for what is outside. */
export interface Addresses {
  model: string;
  mcp: string;
  botApi: string;
  media: string;
}

/**
 * The configuration of an Isopod with an agent for each task.
 * @param model `provider/model` that answers in place of the scripted one
 */
export function configuration(tasks: readonly Task[], model: string | undefined, urls: Addresses): object {
  const places = tasks.flatMap((task) => Object.values(serversOf(task)));
  return {
    agents: {
      defaults: {
        imageModel: `scripted/${VISION_MODEL}`,
        imageGenerationModel: "media/pictures",
        userTimezone: tasks[0]?.now.zone,
        memorySearch: { provider: "local" },
      },
      list: tasks.map((task) => ({
        id: task.id,
        model: model ?? `scripted/${task.id}`,
        mcp: { servers: Object.values(serversOf(task)) },
      })),
    },
    mcp: { servers: Object.fromEntries(places.map((place) => [place, { url: `${urls.mcp}/${place}` }])) },
    models: {
      providers: {
        scripted: { baseUrl: `${urls.model}/v1`, api: "openai-completions" },
        media: { baseUrl: `${urls.media}/v1`, api: "openai-completions" },
      },
    },
    messages: { tts: { provider: "media", providers: { media: { model: "tts-1", voice: "alloy" } } } },
    tools: { media: { audio: { models: [{ provider: "media", model: TRANSCRIPTION_MODEL }] } } },
    channels: {
      telegram: { accounts: { default: { apiBase: urls.botApi, username: "tools_bot", commandMenu: false } } },
    },
    commands: { ownerAllowFrom: [OWNER] },
    security: { egress: { allowPrivate: Object.values(urls).map((url) => new URL(url).host) } },
  };
}

/**
 * The secrets and variables of that Isopod. The tasks of each time zone search with another service.
 * @param model with one, keys of models come from the environment; the scripted model needs none
 */
export function variables(config: object, [task]: readonly Task[], model: string | undefined): Record<string, string> {
  const isForModels = ([name]: [string, unknown]) => model !== undefined && /_API_KEY$|_BASE_URL$/.test(name);
  const keys = Object.entries(process.env).filter(isForModels) as [string, string][];
  return {
    ...Object.fromEntries(keys),
    [task?.now.zone.startsWith("Asia") ? "TAVILY_API_KEY" : "BRAVE_API_KEY"]: "search",
    ISOPOD_TOKEN: TOKEN,
    ISOPOD_HOST: "workerd",
    ISOPOD_CONFIG: JSON.stringify(config),
    TELEGRAM_BOT_TOKEN: BOT,
    TELEGRAM_WEBHOOK_SECRET: "tools-webhook-secret",
  };
}

/** The names here of the MCP servers of a task, by their names in it. */
export function serversOf({ id, world, steps, forbid }: Task): Record<string, string> {
  const inSteps = steps.flatMap((step) => ("one" in step ? step.one : "any" in step ? step.any.flat() : step.optional));
  const called = [...inSteps, ...forbid].flatMap((name) => (name.includes("__") ? [name.split("__")[0] ?? ""] : []));
  const away = world.mcpAway === undefined ? [] : [world.mcpAway];
  const all = new Set([...Object.keys(world.mcp), ...Object.keys(world.mcpTools), ...called, ...away]);
  // The task's own words in a name would tell a model what to do.
  return Object.fromEntries([...all].map((name) => [name, `${name}${checksum(id)}`]));
}

function checksum(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 10_000, 7);
}
