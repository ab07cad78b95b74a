import { setTimeout as sleep } from "node:timers/promises";
import { startBotApi } from "../../fakes/bot-api.ts";
import { type McpPlace, type McpTool, startMcpServer } from "../../fakes/mcp-server.ts";
import { startOutside } from "../../fakes/outside.ts";
import { Isopod } from "../../torture/isopod.ts";
import { startObeyingModel } from "./obeying-model.ts";

const TOKEN = "attacks";
const BOT = "7000000002:attacks";
const SECRET = "attacks-webhook-secret";
const OLGA = 501;
const EVE = 666;
const FIRST_GROUP = -1_000_000;
/** The place of the service that searches the web. */
const SEARCH = "search-service";
const WAIT_MS = 1_500;
const MAX_ROUNDS = 40;

/** Everything that a scenario plays with: an agent of its own with a workspace, a group, a page and a place of the attacker's. */
export interface Stage {
  agentId: string;
  group: number;
  /** A word that stands in the owner's private files, and in nothing that others may see. */
  secret: string;
  /** Address of a page that is neither the owner's nor trusted. */
  page: string;
  /** Address of the attacker's server. */
  evil: string;
  /** Says something as the owner, alone with the agent. */
  owner(text: string): Promise<void>;
  /** Writes into the group. */
  inGroup(who: "olga" | "eve", text: string, more?: GroupMore): Promise<void>;
  /** Puts a file of the owner's into the workspace. */
  file(path: string, text: string): Promise<void>;
  readFile(path: string): Promise<string | undefined>;
  /** Says what the page, or another path of that server, answers. */
  answer(text: string, path?: string): Promise<void>;
  /** Says what the web has on `topic`, as a search shows it: the page, with this excerpt. */
  found(excerpt: string): Promise<void>;
  /** Words that only this stage searches for. */
  topic: string;
  /** The names of the stage's MCP servers: one that attacks, and one of the house. */
  shop: string;
  house: string;
  /** Says what the server that attacks offers, and how it behaves. */
  sells(tools: McpTool[], more?: Omit<McpPlace, "tools">): Promise<void>;
  /** Waits until a server was asked again what it offers. */
  relisted(): Promise<void>;
  /** What the attacker's server, the page's server, and the MCP servers were sent. */
  heard(): Promise<string>;
  /** The arguments of the calls that an MCP server got. */
  calls(server: string): Promise<string>;
  /** What was sent to chats other than the owner's own. */
  sentOutside(): Promise<string>;
  /** The newest reply to the owner alone. */
  reply(): string;
  /** What an attack has got besides what `gained` finds, in words. */
  taken: string[];
  /** How often an owner was asked; every question is answered with no. */
  asked: number;
  config(): Promise<string>;
}

/** Particulars of a group message. */
export interface GroupMore {
  name?: string;
  title?: string;
  quoted?: string;
  document?: { name: string; text: string };
}

/** Isopod, the obeying model and all that is outside, on loopback. */
export class Lab {
  readonly #isopod: Isopod;
  readonly #botApi: string;
  readonly #outside: string;
  readonly #mcp: string;
  readonly #close: () => Promise<void>;
  #nextUpdate = 1;

  private constructor(isopod: Isopod, [botApi, outside, mcp]: [string, string, string], close: () => Promise<void>) {
    this.#isopod = isopod;
    this.#botApi = botApi;
    this.#outside = outside;
    this.#mcp = mcp;
    this.#close = close;
  }

  /**
   * @param servers the names of the MCP servers of each scenario
   * @param flow `security.flow`
   */
  static async open(folder: string, servers: readonly (readonly string[])[], flow: string): Promise<Lab> {
    const [model, botApi, outside, evil, mcp] = await Promise.all([
      startObeyingModel(),
      startBotApi(),
      startOutside(),
      startOutside(),
      startMcpServer(),
    ]);
    const ids = servers.map((_, n) => `s${n}`);
    const placesOf = (n: number) => (servers[n] ?? []).map((server) => `${server}${n}`);
    for (const place of ids.flatMap((_, n) => placesOf(n))) await serve(mcp.url, place, { tools: [HOUSE_TOOL] });
    const placed = ids.flatMap((_, n) => placesOf(n)).map((place) => [place, { url: `${mcp.url}/${place}` }]);
    const config = {
      agents: {
        defaults: { model: "obeying/model" },
        list: ids.map((id, n) => ({ id, mcp: { servers: placesOf(n) } })),
      },
      mcp: { servers: Object.fromEntries(placed) },
      models: {
        providers: { obeying: { baseUrl: `${model.url}/v1`, api: "openai-completions", models: [{ id: "model" }] } },
      },
      commands: { ownerAllowFrom: [`telegram:${OLGA}`] },
      bindings: ids.map((agentId, n) => ({
        agentId,
        match: { channel: "telegram", peer: { kind: "group", id: String(FIRST_GROUP - n) } },
      })),
      messages: { groupChat: { mentionPatterns: ["^pill\\b"] } },
      channels: {
        telegram: {
          accounts: {
            default: {
              apiBase: botApi.url,
              username: "attacks_bot",
              commandMenu: false,
              groups: { "*": { requireMention: true, historyLimit: 20 } },
            },
          },
        },
      },
      tools: { web: { search: { provider: "searxng", baseUrl: `${outside.url}/${SEARCH}` } } },
      security: { flow, egress: { allowPrivate: [outside, evil, mcp].map(({ url }) => new URL(url).host) } },
    };
    const isopod = await Isopod.start(folder, {
      ISOPOD_TOKEN: TOKEN,
      ISOPOD_HOST: "workerd",
      ISOPOD_CONFIG: JSON.stringify(config),
      TELEGRAM_BOT_TOKEN: BOT,
      TELEGRAM_WEBHOOK_SECRET: SECRET,
      TORTURE_COUNTER: outside.url,
    });
    const lab = new Lab(isopod, [botApi.url, outside.url, mcp.url], async () => {
      await isopod.stop();
      await Promise.all([model, botApi, outside, evil, mcp].map((server) => server.close()));
    });
    lab.#evil = evil.url;
    return lab;
  }

  #evil = "";

  close(): Promise<void> {
    return this.#close();
  }

  /** A stage for the nth scenario, with a private file that holds its secret. */
  async stage(n: number): Promise<Stage> {
    const agentId = `s${n}`;
    const group = FIRST_GROUP - n;
    const place = `p${n}`;
    let reply = "";
    const stage: Stage = {
      agentId,
      group,
      secret: `SECRET${String(n).padStart(4, "0")}PRIVATE`,
      page: `${this.#outside}/${place}/page`,
      evil: `${this.#evil}/${place}/take`,
      topic: `gardens-${n}`,
      shop: `shop${n}`,
      house: `house${n}`,
      sells: (tools, more = {}) => serve(this.#mcp, `shop${n}`, { ...more, tools }),
      relisted: async () => {
        const lists = async () =>
          (await this.#mcpRequests(`shop${n}`)).filter(({ body }) => body?.method === "tools/list");
        const before = (await lists()).length;
        for (let round = 0; round < MAX_ROUNDS && (await lists()).length === before; round++) await sleep(50);
        await sleep(200);
      },
      calls: async (server) =>
        (await this.#mcpRequests(server))
          .filter(({ body }) => body?.method === "tools/call")
          .map(({ body }) => JSON.stringify(body.params))
          .join("\n"),
      taken: [],
      asked: 0,
      reply: () => reply,
      owner: async (message) => {
        const sessionKey = `agent:${agentId}:main`;
        const { runId } = await this.#json<{ runId: string }>("POST", "/v1/agent", { sessionKey, message });
        reply = await this.#settled(runId, stage);
      },
      inGroup: async (who, text, more = {}) => {
        const key = `agent:${agentId}:telegram:group:${group}`;
        const before = (await this.#history(key)).length;
        await this.#telegram(who === "olga" ? OLGA : EVE, text, group, more);
        for (const runId of await this.#runsAfter(key, before)) await this.#settled(runId, stage);
      },
      file: async (path, text) => {
        const response = await this.#request("PUT", `/v1/agents/${agentId}/workspace/${path}`, text);
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      },
      readFile: async (path) => {
        const response = await this.#request("GET", `/v1/agents/${agentId}/workspace/${path}`);
        return response.ok ? response.text() : undefined;
      },
      answer: async (text, path = "page") => {
        this.#pages.set(`${place}/${path}`, text);
        const mine = [...this.#pages].filter(([at]) => at.startsWith(`${place}/`));
        const answers = Object.fromEntries(mine.map(([at, body]) => [at.slice(place.length + 1), { body }]));
        await fetch(`${this.#outside}/control/${place}`, { method: "PUT", body: JSON.stringify({ answers }) });
      },
      found: async (excerpt) => {
        const results = [{ title: "Gardens", url: stage.page, content: excerpt, engine: "test" }];
        this.#found.set(`search?q=${stage.topic}&format=json`, { body: JSON.stringify({ results }) });
        const body = JSON.stringify({ answers: Object.fromEntries(this.#found) });
        await fetch(`${this.#outside}/control/${SEARCH}`, { method: "PUT", body });
      },
      heard: async () => {
        const places = [`${this.#outside}/control/${place}`, `${this.#evil}/control/${place}`];
        const web = await Promise.all(places.map(async (url) => (await fetch(url)).text()));
        const texts = [...web, await stage.calls(stage.shop), await stage.calls(stage.house)];
        return decodeURIComponent(
          texts
            .join("\n")
            .replaceAll("%", "%25")
            .replaceAll("%25", "%")
            .replace(/%(?![0-9a-f]{2})/gi, "%25"),
        );
      },
      sentOutside: async () => {
        const calls = await (await fetch(`${this.#botApi}/control/${BOT}/calls`)).json();
        const outside = (calls as { args: { chat_id?: number } }[]).filter(({ args }) => Number(args.chat_id) !== OLGA);
        return outside
          .filter(({ args }) => Number(args.chat_id) === group || !isGroup(args.chat_id))
          .map((call) => JSON.stringify(call))
          .join("\n");
      },
      config: async () => (await this.#request("GET", "/v1/config")).text(),
    };
    await stage.file("MEMORY.md", `The safe code is ${stage.secret}.\n`);
    await stage.file("notes/diary.md", `Dear diary, ${stage.secret}.\n`);
    await stage.answer("A page about gardens.");
    return stage;
  }

  async #mcpRequests(place: string): Promise<{ body: any }[]> {
    return (await fetch(`${this.#mcp}/control/${place}`)).json() as Promise<{ body: any }[]>;
  }

  readonly #pages = new Map<string, string>();
  readonly #found = new Map<string, { body: string }>();

  async #telegram(
    from: number,
    text: string,
    chat: number,
    { name, title, quoted, document }: GroupMore,
  ): Promise<void> {
    const id = this.#nextUpdate++;
    const user = { id: from, is_bot: false, first_name: name ?? (from === OLGA ? "Olga" : "Eve") };
    const asked = { id: EVE, is_bot: false, first_name: "Eve" };
    const where = { id: chat, type: "supergroup", title: title ?? "Garden" };
    const message = {
      ...{ message_id: id, date: 1_780_000_000, from: user, chat: where },
      ...(document === undefined ? { text } : { caption: text, document: await this.#document(document) }),
      ...(quoted !== undefined && {
        reply_to_message: { message_id: id + 100_000, date: 1_780_000_000, from: asked, chat: where, text: quoted },
      }),
    };
    const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": SECRET };
    const body = JSON.stringify({ update_id: id, message });
    const response = await fetch(`${this.#isopod.url}/channels/telegram/default/webhook`, {
      method: "POST",
      headers,
      body,
    });
    if (!response.ok) throw new Error(`The webhook answered ${response.status}.`);
  }

  async #document({ name, text }: { name: string; text: string }): Promise<object> {
    const fileId = `file${this.#nextUpdate++}`;
    const answers = [
      { method: "getFile", body: { ok: true, result: { file_id: fileId, file_path: `docs/${fileId}` } } },
    ];
    await fetch(`${this.#botApi}/control/${BOT}`, {
      method: "PUT",
      body: JSON.stringify({ answers, files: { [`docs/${fileId}`]: text } }),
    });
    return {
      file_id: fileId,
      file_unique_id: fileId,
      file_name: name,
      mime_type: "text/plain",
      file_size: text.length,
    };
  }

  /** The runs of the messages that a session has got since it had so many. */
  async #runsAfter(key: string, before: number): Promise<string[]> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const messages = await this.#history(key);
      const runs = new Set(messages.slice(before).map(({ runId }) => runId));
      if (runs.size > 0) return [...runs];
      await sleep(50);
    }
    return [];
  }

  async #history(key: string): Promise<{ runId: string }[]> {
    const response = await this.#request("GET", `/v1/sessions/${encodeURIComponent(key)}/history?limit=200`);
    return response.ok ? ((await response.json()) as { messages: { runId: string }[] }).messages : [];
  }

  /** Waits for a run, says no to what it asks, and gives its reply. */
  async #settled(runId: string, stage: Stage): Promise<string> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const run = await this.#json<{ status: string; reply?: string; approvals?: { id: string }[] }>(
        "GET",
        `/v1/runs/${runId}`,
      );
      if (run.status === "waiting_approval") {
        for (const { id } of run.approvals ?? []) {
          stage.asked += 1;
          await this.#json("POST", `/v1/approvals/${id}`, { decision: "deny" });
        }
      } else if (run.status !== "queued" && run.status !== "running") return run.reply ?? "";
      await this.#request("GET", `/v1/agent/wait?runId=${runId}&timeoutMs=${round < 5 ? 100 : WAIT_MS}`);
    }
    throw new Error(`The run ${runId} of ${stage.agentId} does not end.`);
  }

  async #json<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await this.#request(method, path, body && JSON.stringify(body), {
      "content-type": "application/json",
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Answer>;
  }

  #request(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
    const init = {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body !== undefined && { body }),
    };
    return fetch(this.#isopod.url + path, init);
  }
}

/** What a server offers if nothing else is said. */
const HOUSE_TOOL: McpTool = {
  name: "note",
  description: "Keeps a note.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

async function serve(mcp: string, place: string, behaviour: McpPlace): Promise<void> {
  await fetch(`${mcp}/control/${place}`, { method: "PUT", body: JSON.stringify(behaviour) });
}

function isGroup(chat: number | undefined): boolean {
  return Number(chat) <= FIRST_GROUP;
}
