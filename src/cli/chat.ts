import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runCommand } from "./problem.ts";
import { findServer, meet } from "./server.ts";
import { TerminalChat, type TerminalOutput } from "./terminal-chat.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run chat -- [options] [message]

With a message it shows the reply and ends. Otherwise every line is a message.
Ctrl-C stops a reply; where there is none it ends the chat.

  --url <address>      Where Isopod answers (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --session <key>      Session to talk in (default: the agent's main one)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

const terminal: TerminalOutput = {
  write: (text) => process.stdout.write(text),
  note: (text) => console.error(text),
  styled: process.stdout.isTTY && process.env.NO_COLOR === undefined,
};

/** Talks to a running Isopod until the input ends. */
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
  const me = await meet(server);
  const sessionKey = values.session ?? `agent:${me.agentId}:main`;
  const chat = new TerminalChat(server, sessionKey, terminal);
  if (positionals.length > 0) await sayOnce(chat, positionals.join(" "));
  else await converse(chat, `${me.model} · ${sessionKey} · Ctrl-C stops a reply, and ends the chat`);
}

async function sayOnce(chat: TerminalChat, message: string): Promise<void> {
  process.on("SIGINT", () => chat.interrupt());
  if (!(await chat.say(message))) process.exitCode = 1;
}

async function converse(chat: TerminalChat, heading: string): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal, prompt: "› " });
  const interrupt = () => {
    if (!chat.interrupt()) lines.close();
  };
  // A terminal hands Ctrl-C to whoever reads lines from it; without one it is a signal.
  lines.on("SIGINT", interrupt);
  process.on("SIGINT", interrupt);
  const prompt = () => {
    if (isTerminal) lines.prompt();
  };
  if (isTerminal) console.log(heading);
  prompt();
  for await (const line of lines) {
    if (line.trim() !== "") await chat.say(line);
    prompt();
  }
}

await runCommand(main);
