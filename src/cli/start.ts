import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ApiError, requestJson, requestOk, type Server } from "../client/http.ts";
import { type Caller, isCaller } from "../client/wire.ts";
import { startLocalChannels } from "./local-channels.ts";
import type { LocalWorker, LocalWorkerDeps } from "./local-worker.ts";
import { lockState } from "./lock-state.ts";
import { migrate } from "./migrate.ts";
import { freePortAbove, parsePort, probePort } from "./port.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { Problem, runCommand } from "./problem.ts";
import { startTicks } from "./ticks.ts";
import { ensureDataKey, ensureToken, ensureWebhookSecret, VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const READY_WITHIN_MS = 90_000;
const POLL_MS = 100;
const USAGE = `Usage: npm start -- [options]

  --port <number>      Port to listen on (default: PORT, else 8787)
  --persist-to <dir>   Where data is kept (default: .wrangler/state)
  --vars <file>        File of variables and secrets (default: .dev.vars)
  --no-tick            Do not run heartbeats and jobs by the clock
  --no-poll            Do not ask Telegram for the messages of its bots
  --take-over          Remove a bot's webhook at Telegram, so that its messages come here
  --verbose            Show everything that the Worker logs, not only errors
  --help               Show this`;

interface Values {
  "persist-to": string;
  vars: string;
  "no-tick": boolean;
  "no-poll": boolean;
  "take-over": boolean;
  verbose: boolean;
}

/** Starts Isopod on this machine and stays until Ctrl-C. */
async function start(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: process.env.PORT ?? "8787" },
      "persist-to": { type: "string", default: `${ROOT}.wrangler/state` },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      "no-tick": { type: "boolean", default: false },
      "no-poll": { type: "boolean", default: false },
      "take-over": { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const port = parsePort(values.port);
  if (port === undefined) throw new Problem(`'${values.port}' is not a port. Use a number from 1 to 65535.`);

  if (!existsSync(`${ROOT}node_modules/wrangler`)) throw new Problem("The packages are not installed yet. Run: npm ci");
  const token = await ensureToken(values.vars);
  await ensureDataKey(values.vars);
  await ensureWebhookSecret(values.vars);
  const server = { url: `http://127.0.0.1:${port}`, token };
  await requirePort(port, server);
  await makePrivateFolder(values["persist-to"]);
  const lock = await lockState(values["persist-to"], port, (other) =>
    isIsopod({ url: `http://127.0.0.1:${other}`, token }),
  );
  try {
    await run(server, values, port);
  } finally {
    await lock.release();
  }
}

/** Runs the Worker over the state folder until a signal. */
async function run(server: Required<Server>, values: Values, port: number): Promise<void> {
  const note = await migrate(ROOT, values["persist-to"]);
  if (note !== undefined) console.error(note);
  const interrupted = interruption();
  const worker = await startWorker(server, {
    root: ROOT,
    port,
    stateFolder: values["persist-to"],
    variablesFile: values.vars,
    verbose: values.verbose,
    onOutput: (text) => process.stderr.write(text),
  });
  try {
    const me = await Promise.race([ready(server), interrupted]);
    if (me === undefined) return;
    console.log(welcome(server.url, server.token, me.model));
    const note = (text: string) => process.stderr.write(text);
    const stopTicks = values["no-tick"] ? () => undefined : startTicks(server, note);
    const { vars: variablesFile, "take-over": takeOver } = values;
    const stopChannels = values["no-poll"]
      ? () => undefined
      : await startLocalChannels(server, { variablesFile, takeOver, note });
    await interrupted;
    stopTicks();
    stopChannels();
  } finally {
    await worker.stop();
  }
}

/** @throws Problem where another program took the port since it was probed */
async function startWorker(server: Server, deps: LocalWorkerDeps): Promise<LocalWorker> {
  // Not before the packages are known to be there.
  const { startLocalWorker } = await import("./local-worker.ts");
  try {
    return await startLocalWorker(deps);
  } catch (error) {
    await requirePort(deps.port, server);
    throw error;
  }
}

/** @throws Problem that names another port, if this one is in use */
async function requirePort(port: number, server: Server): Promise<void> {
  const state = await probePort(port);
  if (state === "taken") throw await portTaken(port, server);
  if (state === "forbidden") throw new Problem(`Port ${port} needs more privileges. ${await chooseAnother(1024)}`);
}

async function portTaken(port: number, server: Server): Promise<Problem> {
  const what = (await isIsopod(server))
    ? `Isopod already runs at ${server.url}.`
    : `Port ${port} is in use by another program.`;
  return new Problem(`${what}\n${await chooseAnother(port)}`);
}

async function chooseAnother(port: number): Promise<string> {
  return `Choose another port: npm start -- --port ${await freePortAbove(port)}`;
}

async function isIsopod(server: Server): Promise<boolean> {
  try {
    await requestJson(server, { path: "/v1/me", signal: AbortSignal.timeout(1_000) }, isCaller);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Waits until the Worker answers, and seeds its agent's workspace by listing it. */
async function ready(server: Server): Promise<Caller> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await answers(server))) {
    if (Date.now() > deadline) throw new Problem(`The Worker does not answer at ${server.url}.`);
    await sleep(POLL_MS);
  }
  const me = await requestJson(server, { path: "/v1/me" }, isCaller);
  await requestOk(server, { path: `/v1/agents/${me.agentId}/workspace` });
  return me;
}

async function answers(server: Server): Promise<boolean> {
  try {
    await requestOk(server, { path: "/healthz", signal: AbortSignal.timeout(5_000) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.passing) return false;
    throw error;
  }
}

/** Resolves when a signal asks this program to end. */
function interruption(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve(undefined));
  });
}

/** The text that `npm start` prints once Isopod answers: its address, its token, and a request to try. */
function welcome(url: string, token: string, model: string): string {
  return `
Isopod is ready.

  Address       ${url}
  Access token  ${token}
  Web chat      ${url}/#token=${token}
  Docs          ${url}/docs
  Model         ${model}
                ${modelAdvice(model)}

  Send a message:
  ${curlLine(url, token)}

  npm run chat opens a chat in the terminal. Ctrl-C ends it.
`;
}

function modelAdvice(model: string): string {
  if (model === "custom/") return "(no model yet. Set ISOPOD_MODEL to its name at OPENAI_BASE_URL, and start again.)";
  const how = "put ANTHROPIC_API_KEY, OPENAI_API_KEY or ISOPOD_MODEL=ollama/<name> into .dev.vars and start again.";
  return model.startsWith("offline/")
    ? `(built in, answers by rules.) For a real model, ${how}`
    : `For another model, ${how}`;
}

/** A shell command that sends a message and prints the events of its run. */
function curlLine(url: string, token: string): string {
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -H 'Accept: text/event-stream'`;
  return `curl -sN ${headers} -d '{"message":"Hello"}' ${url}/v1/agent`;
}

await runCommand(start);
