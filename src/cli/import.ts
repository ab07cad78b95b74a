import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requestJson, type Server } from "../client/http.ts";
import { type ImportReport, isImportReport, isJobsTakenOver } from "../client/wire.ts";
import { importText } from "./import-text.ts";
import { Problem, runCommand } from "./problem.ts";
import { explainFailures, findServer } from "./server.ts";
import { uploadWorkspace } from "./upload-workspace.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run import -- [options] <openclaw.json>

Imports a configuration of OpenClaw into a running Isopod, replaces the configuration there, and
reports every value. Secrets are not imported: the report says which to set. With - as the file,
reads standard input.

  --dry-run            Only show the report, change nothing
  --verbose            Also list the values that are imported unchanged
  --workspace <dir>    Also upload the files of that folder, such as ~/.openclaw/workspace
  --jobs <file>        Also take over jobs and reminders, such as ~/.openclaw/cron/jobs.json
  --agent <id>         The agent whose workspace it becomes (default: the default agent)
  --overwrite          Replace existing files; without it, only unchanged seeded files are
                       replaced. Replaced files are kept for 30 days
  --merge              Add the text of MEMORY.md, USER.md and memory/ below what is there
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Imports an openclaw.json, and a workspace, into a running Isopod. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      workspace: { type: "string" },
      jobs: { type: "string" },
      agent: { type: "string" },
      overwrite: { type: "boolean", default: false },
      merge: { type: "boolean", default: false },
      url: { type: "string" },
      token: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [file, ...more] = positionals;
  if ((file ?? values.workspace ?? values.jobs) === undefined || more.length > 0) throw new Problem(USAGE);
  const server = await findServer(values.vars, values.url, values.token);
  const isDry = values["dry-run"];
  if (file !== undefined) await importFile(server, file, { isDry, isVerbose: values.verbose });
  if (values.jobs !== undefined) await importJobsFile(server, values.jobs, isDry);
  if (values.workspace === undefined) return;
  const { agent, overwrite, merge } = values;
  const note = (line: string) => console.log(line);
  const isWhole = await uploadWorkspace(server, values.workspace, { agentId: agent, overwrite, merge, isDry, note });
  if (!isWhole) process.exitCode = 1;
}

async function importFile(server: Server, file: string, how: { isDry: boolean; isVerbose: boolean }): Promise<void> {
  const document = await readDocument(file);
  const report = await explainFailures(server, () => sent(server, document, "?dryRun=true", {}));
  console.log(importText(report, how.isVerbose));
  if (how.isDry) return console.log("\nNothing was stored: this was a dry run.");
  const { revision, stored } = await sent(server, document, "", { "If-Match": `"${report.revision}"` });
  const what = stored ? `The configuration is stored as revision ${revision}.` : "Nothing changed.";
  console.log(`\n${what} npm run doctor checks what is missing.`);
}

async function importJobsFile(server: Server, file: string, isDry: boolean): Promise<void> {
  const content = await readDocument(file);
  const path = `/v1/import/jobs?dryRun=${isDry}` as const;
  const headers = { "content-type": "application/json" };
  const taken = await explainFailures(server, () =>
    requestJson(server, { path, method: "POST", content, headers }, isJobsTakenOver),
  );
  const verb = isDry ? "would come" : "came";
  console.log(`\n${taken.jobs.length} jobs ${verb}, ${taken.kept.length} are there already and stay.`);
  for (const { name, next } of taken.jobs) console.log(`  ${name}: ${next[0] ?? "paused"}`);
  for (const { id, why } of taken.refused) console.log(`  ${id} is not taken over: ${why}`);
}

function sent(server: Server, document: string, query: string, headers: Record<string, string>): Promise<ImportReport> {
  const request = { path: `/v1/config/import${query}`, method: "POST", content: document } as const;
  return requestJson(server, { ...request, headers: { "content-type": "text/plain", ...headers } }, isImportReport);
}

async function readDocument(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new Problem(`${file} cannot be read: ${error.message}`);
    throw error;
  }
}

await runCommand(main);
