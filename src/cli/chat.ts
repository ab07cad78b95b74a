import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runCommand } from "./problem.ts";
import { findServer, requestCaller } from "./server.ts";
import { TerminalChat, type TerminalOutput } from "./terminal-chat.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run chat -- [options] [message]

With a message, prints the reply and exits. Without one, every line is a message.
Ctrl-C stops the current reply; without one, it ends the chat.

  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --session <key>      Session to chat in (default: the agent's main one)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

const terminal: TerminalOutput = {
  write: (text) => process.stdout.write(text),
  note: (text) => console.error(text),
  styled: process.stdout.isTTY && process.env.NO_COLOR === undefined,
};

/** Chats with a running Isopod until the input ends. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      url: { type: "string" },
      session: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const server = await findServer(values.vars, values.url);
  const me = await requestCaller(server);
  const sessionKey = values.session ?? `agent:${me.agentId}:main`;
  const chat = new TerminalChat(server, sessionKey, terminal);
  if (positionals.length > 0) await sendOnce(chat, positionals.join(" "));
  else await readMessages(chat, `${me.model} · ${sessionKey} · Ctrl-C stops a reply or ends the chat`);
}

async function sendOnce(chat: TerminalChat, message: string): Promise<void> {
  process.on("SIGINT", () => chat.interrupt());
  if (!(await chat.send(message))) process.exitCode = 1;
}

async function readMessages(chat: TerminalChat, heading: string): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal, prompt: "› " });
  const interrupt = () => {
    if (!chat.interrupt()) lines.close();
  };
  // On a terminal, readline receives Ctrl-C; without one, it is a signal.
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);
  const prompt = () => {
    if (isTerminal) lines.prompt();
  };
  if (isTerminal) console.log(heading);
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  void chat.watch(closed.signal);
  prompt();
  for await (const line of lines) {
    if (line.trim() !== "") await chat.send(line);
    prompt();
  }
}

await runCommand(main);
