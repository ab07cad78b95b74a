import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Request, requestJson } from "../client/http.ts";
import { isMemoryPassage, isMemoryResults, isMemoryStatus } from "../client/wire.ts";
import { passageText, resultsText, statusText } from "./memory-text.ts";
import { Problem, runCommand } from "./problem.ts";
import { explainFailures, findServer, requestCaller } from "./server.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run memory -- <command> [options]

Searches and shows the memory of an agent of a running Isopod.

  search <words>       Matching passages with their score, reason and place
  get <path>           Lines of a memory file
  status               The state of the index: files, vectors, pending work, warnings
  index                Update the index; the exit code is 2 while it is incomplete and continues by itself

  --agent <id>         The agent (default: the default agent)
  --max <number>       Most results of a search
  --min-score <0..1>   Least score of a result
  --source <source>    memory or sessions; may be given twice
  --from <line>        The first line that get shows, from 1
  --lines <number>     How many lines it shows
  --force              Index all files again
  --json               Print the answer of the API as JSON
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** The exit code of `index` while the index is incomplete. */
const UNFINISHED = 2;

/** Searches and shows an agent's memory. */
async function memory(): Promise<void> {
  const { values, positionals } = parsed();
  const [what, ...words] = positionals;
  if (values.help) return console.log(USAGE);
  const takesOne = what === "search" || what === "get";
  if (takesOne !== words.length > 0 || (what === "get" && words.length > 1)) throw new Problem(USAGE);
  const server = await findServer(values.vars, values.url, values.token);
  const agentId = values.agent ?? (await requestCaller(server)).agentId;
  const requestMemory = <Answer>(request: Request, is: (value: unknown) => value is Answer) => {
    const path = `/v1/agents/${encodeURIComponent(agentId)}/memory${request.path}`;
    return explainFailures(server, () => requestJson(server, { ...request, path }, is));
  };
  const print = (answer: unknown, text: string) => console.log(values.json ? JSON.stringify(answer, null, 2) : text);
  switch (what) {
    case "search": {
      const results = await requestMemory(searchRequest(words.join(" "), values), isMemoryResults);
      return print(results, resultsText(results));
    }
    case "get": {
      const passage = await requestMemory(passageRequest(words[0] ?? "", values), isMemoryPassage);
      return print(passage, passageText(passage));
    }
    case "status": {
      const status = await requestMemory({ path: "/status" }, isMemoryStatus);
      return print(status, statusText(status));
    }
    case "index": {
      const { force } = values;
      const status = await requestMemory({ method: "POST", path: "/index", body: { force } }, isMemoryStatus);
      if (!status.complete) process.exitCode = UNFINISHED;
      return print(status, statusText(status));
    }
    default:
      throw new Problem(USAGE);
  }
}

function searchRequest(query: string, { max, "min-score": minScore, source: sources }: Options): Request {
  const limits = {
    ...(max !== undefined && { maxResults: numberIn("--max", max) }),
    ...(minScore !== undefined && { minScore: numberIn("--min-score", minScore) }),
  };
  return { method: "POST", path: "/search", body: { query, ...limits, sources } };
}

function passageRequest(path: string, { from, lines }: Options): Request {
  const query = new URLSearchParams({
    path,
    ...(from !== undefined && { from }),
    ...(lines !== undefined && { lines }),
  });
  return { path: `/file?${query}` };
}

/** @throws Problem where the text is not a number */
function numberIn(option: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new Problem(`${option} expects a number, not '${text}'.`);
}

type Options = ReturnType<typeof parsed>["values"];

function parsed() {
  return parseArgs({
    options: {
      agent: { type: "string" },
      max: { type: "string" },
      "min-score": { type: "string" },
      source: { type: "string", multiple: true },
      from: { type: "string" },
      lines: { type: "string" },
      force: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      token: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
}

await runCommand(memory);
