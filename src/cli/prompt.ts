import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { promptPath, requestJson, runPath } from "../client/http.ts";
import { isPrompt } from "../client/wire.ts";
import { runCommand } from "./problem.ts";
import { promptTable } from "./prompt-table.ts";
import { findServer, requestCaller } from "./server.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run prompt -- [options]

Prints the system prompt that a turn would get now, or that a run's model got, with a line at
the cache boundary. Nothing is written and no model is called.

  --agent <id>         The agent (default: the default agent)
  --channel <id>       A turn on that channel (default: the API, or the page)
  --account <id>       One of the channel's accounts
  --kind <kind>        direct, group or channel
  --sender <who>       owner or other
  --session <key>      A turn in that session
  --mode <mode>        full, minimal or none
  --model <model>      provider/model, or an alias
  --thinking <level>   off, minimal, low, medium or high
  --run <id>           Print the prompt of that run instead
  --sections           A table of sections, files and tools with their sizes, instead of the text
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Shows a system prompt of a running Isopod. */
async function prompt(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agent: { type: "string" },
      channel: { type: "string" },
      account: { type: "string" },
      kind: { type: "string" },
      sender: { type: "string" },
      session: { type: "string" },
      mode: { type: "string" },
      model: { type: "string" },
      thinking: { type: "string" },
      run: { type: "string" },
      sections: { type: "boolean", default: false },
      url: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
  });
  const { agent, run, sections, url, vars, help, ...query } = values;
  if (help) return console.log(USAGE);
  const server = await findServer(vars, url);
  const me = await requestCaller(server);
  const path = run === undefined ? promptPath(agent ?? me.agentId, query) : runPath(run, "prompt");
  const shown = await requestJson(server, { path }, isPrompt);
  console.log(sections ? promptTable(shown) : shown.text);
}

await runCommand(prompt);
