import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { startBotApi } from "../../fakes/bot-api.ts";
import { type McpPlace, startMcpServer } from "../../fakes/mcp-server.ts";
import { MP3, PNG } from "../../fakes/media-bytes.ts";
import { startMediaServer } from "../../fakes/media-server.ts";
import { bundleWorker, migrate, modulesIn } from "../../fakes/worker-bundle.ts";
import { type Call, filesOf, type Outcome } from "./judge.ts";
import {
  type Addresses,
  BOT,
  configuration,
  serversOf,
  TOKEN,
  TRANSCRIPTION_MODEL,
  VISION_MODEL,
  variables,
} from "./lab-config.ts";
import { mcpPlace } from "./mcp-place.ts";
import { ScriptedModel } from "./scripted-model.ts";
import type { Task, WorldFile } from "./task.ts";
import { type Place, turnOf } from "./turn-of.ts";
import { Web } from "./web.ts";
import { contactsFile, notesOf } from "./world-files.ts";

const CONFIG = join(import.meta.dirname, "../../torture/wrangler.toml");
const POLL_MS = 50;
const WAIT_MS = 2_000;
const INDEXED_WITHIN_MS = 30_000;

/** A task that was done, or not. */
export interface Done extends Outcome {
  status: string;
  /** What went wrong, if the run failed. */
  error?: string;
  /** Questions that a person was asked; each was answered with yes. */
  asked: number;
  /** From the message to the end of its run. */
  tookMs: number;
  /** Estimated; absent where no price is known. */
  costUsd?: number;
}

/** Isopod with an agent for each task, and all that is outside, on loopback. */
export class TaskLab {
  readonly #url: string;
  readonly #outside: Addresses;
  readonly #web: Web;
  readonly #model: ScriptedModel;
  /** Ends everything. */
  readonly close: () => Promise<void>;

  private constructor(
    { url, outside, web, model }: { url: string; outside: Addresses; web: Web; model: ScriptedModel },
    close: () => Promise<void>,
  ) {
    this.#url = url;
    this.#outside = outside;
    this.#web = web;
    this.#model = model;
    this.close = close;
  }

  /** Bundles the Worker that every lab starts. */
  static bundle(folder: string): Promise<void> {
    return bundleWorker(folder, { config: CONFIG, main: join(import.meta.dirname, "worker.ts") });
  }

  /**
   * @param tasks all of one time zone
   * @param bundle the folder of the bundle
   * @param model `provider/model` that answers in place of the scripted one, with its key in the environment
   */
  static async open(tasks: readonly Task[], bundle: string, model: string | undefined): Promise<TaskLab> {
    const folder = await mkdtemp(join(tmpdir(), "isopod-tools-"));
    const [scripted, mcp, botApi, media] = await Promise.all([
      ScriptedModel.start(),
      startMcpServer(),
      startBotApi(),
      startMediaServer(),
    ]);
    const web = new Web();
    const outside = { model: scripted.url, mcp: mcp.url, botApi: botApi.url, media: media.url };
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        cf: false,
        resourcePersistencePath: join(folder, "state"),
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: () => undefined,
        workers: [
          {
            ...unstable_getMiniflareWorkerOptions(CONFIG).workerOptions,
            name: "isopod-tools",
            modulesRoot: bundle,
            modules: await modulesIn(bundle),
            bindings: variables(configuration(tasks, model, outside), tasks, model),
            outboundService: (request: Request) => web.answer(request),
          },
        ],
      } as never),
    );
    const close = async () => {
      await miniflare.dispose();
      await Promise.all([scripted, mcp, botApi, media].map((server) => server.close()));
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    };
    try {
      const url = (await miniflare.ready).origin;
      await migrate(miniflare, "DB", "migrations/d1");
      await migrate(miniflare, "MEMORY", "migrations/memory");
      return new TaskLab({ url, outside, web, model: scripted }, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Makes the world of a task, says what the person says, and waits until its run has ended. */
  async run(task: Task): Promise<Done> {
    const place = await this.#prepare(task);
    this.#model.setTurn(task.id, turnOf(task, place));
    await this.#setClock(task);
    const sentBefore = (await this.#sent()).length;
    const startedAt = performance.now();
    const sessionKey = `agent:${task.id}:main`;
    const { runId } = await this.#json("POST", "/v1/agent", { sessionKey, message: task.say });
    const { run, asked } = await this.#settled(runId);
    const tookMs = performance.now() - startedAt;
    const { messages } = await this.#json("GET", `/v1/sessions/${encodeURIComponent(sessionKey)}/history?limit=200`);
    const files = await Promise.all(filesOf(task).map(async (path) => [path, await this.#readFile(task, path)]));
    return {
      calls: callsIn(messages),
      answer: run.reply ?? "",
      sent: (await this.#sent()).slice(sentBefore),
      files: Object.fromEntries(files.filter(([, text]) => text !== undefined)),
      jobIds: place.jobIds,
      status: run.status,
      ...(run.error !== undefined && { error: run.error.message }),
      ...(run.costUsd !== undefined && { costUsd: run.costUsd }),
      ...{ asked, tookMs },
    };
  }

  async #prepare(task: Task): Promise<Place> {
    const { world } = task;
    await this.#setClock(task);
    this.#web.show(world.web_fetch, world.web_search);
    const servers = serversOf(task);
    for (const [name, here] of Object.entries(servers)) await this.#serve(here, mcpPlace(task, name));
    for (const [path, file] of Object.entries({ ...world.files, ...contactsFile(task), ...notesOf(task) }))
      await this.#putFile(task, path, file);
    if (world.memory.length > 0) await this.#indexed(task);
    const jobIds: Record<string, string> = {};
    for (const { id, name, next } of world.cron.list) {
      const schedule = { kind: "at", at: next };
      const job = { agentId: task.id, name, schedule, payload: { kind: "systemEvent", text: name } };
      jobIds[id] = (await this.#json("POST", "/v1/jobs", job)).id;
    }
    return { jobIds, servers };
  }

  /** It is the task's time again, however long the ones before took. */
  async #setClock({ now }: Task): Promise<void> {
    await this.#json("GET", `/eval/clock?now=${Date.parse(now.clock)}`);
  }

  async #serve(place: string, behaviour: McpPlace): Promise<void> {
    await fetch(`${this.#outside.mcp}/control/${place}`, { method: "PUT", body: JSON.stringify(behaviour) });
  }

  async #putFile(task: Task, path: string, file: WorldFile): Promise<void> {
    if (typeof file === "object" && "image" in file)
      this.#model.setTurn(VISION_MODEL, { calls: [], answer: file.image });
    if (typeof file === "object" && "recording" in file) {
      const answers = [{ text: file.recording }];
      await fetch(`${this.#outside.media}/control/${TRANSCRIPTION_MODEL}`, {
        method: "PUT",
        body: JSON.stringify({ answers }),
      });
    }
    const base64 = typeof file === "string" ? Buffer.from(file).toString("base64") : "image" in file ? PNG : MP3;
    await this.#ask("PUT", workspacePath(task, path), Buffer.from(base64, "base64"));
  }

  async #readFile(task: Task, path: string): Promise<string | undefined> {
    const response = await this.#fetch("GET", workspacePath(task, path));
    const text = await response.text();
    return response.ok ? text : undefined;
  }

  async #indexed(task: Task): Promise<void> {
    await this.#json("POST", `/v1/agents/${task.id}/memory/index`, {});
    for (const deadline = performance.now() + INDEXED_WITHIN_MS; performance.now() < deadline; await sleep(POLL_MS)) {
      const { chunks, pending } = await this.#json("GET", `/v1/agents/${task.id}/memory/status`);
      if (chunks > 0 && pending === 0) return;
    }
    throw new Error(`The notes of ${task.id} were not indexed.`);
  }

  /** The texts that were sent to chats. */
  async #sent(): Promise<string[]> {
    const calls = (await (await fetch(`${this.#outside.botApi}/control/${BOT}/calls`)).json()) as {
      args: { text?: string; caption?: string };
    }[];
    return calls.map(({ args }) => args.text ?? args.caption ?? "");
  }

  async #settled(runId: string): Promise<{ run: any; asked: number }> {
    for (let asked = 0; ; ) {
      await this.#ask("GET", `/v1/agent/wait?runId=${runId}&timeoutMs=${WAIT_MS}`);
      const run = await this.#json("GET", `/v1/runs/${runId}`);
      if (run.status !== "queued" && run.status !== "running" && run.status !== "waiting_approval")
        return { run, asked };
      for (const { id } of run.approvals ?? []) {
        asked++;
        await this.#json("POST", `/v1/approvals/${id}`, { decision: "allow-once" });
      }
    }
  }

  async #json(method: string, path: string, body?: object): Promise<any> {
    return JSON.parse(await this.#ask(method, path, body && JSON.stringify(body)));
  }

  async #ask(method: string, path: string, body?: string | Uint8Array): Promise<string> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text;
  }

  #fetch(method: string, path: string, body?: string | Uint8Array): Promise<Response> {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      ...(typeof body === "string" && { "content-type": "application/json" }),
    };
    return fetch(this.#url + path, { method, headers, ...(body !== undefined && { body: body as BodyInit }) });
  }
}

function workspacePath(task: Task, path: string): string {
  return `/v1/agents/${task.id}/workspace/${path.split("/").map(encodeURIComponent).join("/")}`;
}

interface HistoryEntry {
  role: string;
  parts?: { type: string; tool: string; callId: string; args: Call["args"] }[];
  /** Of the result of a call. */
  callId?: string;
  isError?: boolean;
}

function callsIn(messages: readonly HistoryEntry[]): Call[] {
  const failed = new Set(messages.flatMap(({ callId, isError }) => (isError && callId !== undefined ? [callId] : [])));
  return messages.flatMap(({ role, parts = [] }) =>
    role === "assistant"
      ? parts.flatMap(({ type, tool, callId, args }) =>
          type === "tool-call" ? [{ tool, args, isError: failed.has(callId) }] : [],
        )
      : [],
  );
}
