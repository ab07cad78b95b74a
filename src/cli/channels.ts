import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requestJson } from "../client/http.ts";
import { isChannelAccounts, isChannelFindings, isChannelManifest, isOwnerLink } from "../client/wire.ts";
import { accountsText, findingsText } from "./channels-text.ts";
import { Problem, runCommand } from "./problem.ts";
import { explainFailures, findServer } from "./server.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run channels -- [command] [options]

Shows and connects the chat channels of a running Isopod.

  list                          The accounts, and where their platforms call (the default)
  test <channel> [account]      Check an account at its platform; --to sends a message with it
  connect <channel> [account]   Set the platform up: the webhook's address, commands
  manifest <channel> [account]  The text to paste into the platform's settings
  owner <channel> [account]     A link with which one person becomes an owner

  --to <conversation>  Who gets the test message
  --public <address>   Isopod's public https address, if it is not the one that is asked
  --take-over          Replace an address of another server
  --json               Print the answer of the API as JSON
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Shows and connects channels. */
async function channels(): Promise<void> {
  const { values, positionals } = parsed();
  if (values.help) return console.log(USAGE);
  const [what = "list", channel, account = "default", ...more] = positionals;
  if ((what === "list") !== (channel === undefined) || more.length > 0) throw new Problem(USAGE);
  const server = await findServer(values.vars, values.url, values.token);
  const print = (answer: unknown, text: string) => console.log(values.json ? JSON.stringify(answer, null, 2) : text);
  const place = `/v1/channels/${encodeURIComponent(channel ?? "")}/${encodeURIComponent(account)}`;
  const { to, public: url, "take-over": takeOver } = values;
  const named = url === undefined ? {} : { url };
  const post = <Answer>(path: string, body: object, is: (value: unknown) => value is Answer) =>
    explainFailures(server, () => requestJson(server, { method: "POST", path: `${place}/${path}`, body }, is));
  switch (what) {
    case "list": {
      const list = await explainFailures(server, () =>
        requestJson(server, { path: "/v1/channels" }, isChannelAccounts),
      );
      return print(list, accountsText(list));
    }
    case "test":
    case "connect": {
      const body = what === "test" ? { ...named, ...(to !== undefined && { to }) } : { ...named, takeOver };
      const found = await post(what, body, isChannelFindings);
      if (found.findings.some(({ status }) => status === "fail")) process.exitCode = 1;
      return print(found, findingsText(found));
    }
    case "manifest": {
      const path = `${place}/manifest${url === undefined ? "" : `?${new URLSearchParams({ url })}`}`;
      const manifest = await explainFailures(server, () => requestJson(server, { path }, isChannelManifest));
      // What it is for goes beside the text, which may be written to a file.
      if (!values.json) console.error(manifest.use);
      return print(manifest, manifest.text);
    }
    case "owner": {
      const made = await post("owner-link", {}, isOwnerLink);
      return print(made, made.link ?? `Send the agent: ${made.message}`);
    }
    default:
      throw new Problem(USAGE);
  }
}

function parsed() {
  return parseArgs({
    options: {
      to: { type: "string" },
      public: { type: "string" },
      "take-over": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      token: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
}

await runCommand(channels);
