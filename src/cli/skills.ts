import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requestJson, type Server } from "../client/http.ts";
import { type SkillPlace, type SkillRequest, skillRequest } from "../client/skill-request.ts";
import { isSkillChange, isSkillDetail, isSkillReport, isSkillVerification } from "../client/wire.ts";
import { Problem, runCommand } from "./problem.ts";
import { explainFailures, findServer, requestCaller } from "./server.ts";
import { SIGNATURE_FILE, signSkill } from "./sign-skill.ts";
import { skillOrigin } from "./skill-source.ts";
import { changeText, skillsText, skillText, verificationText } from "./skills-text.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run skills -- <command> [options]

Manages the skills of a running Isopod.

  list                        All skills, and why some are not eligible
  show <name>                 One skill, its files and its text
  install <source>            A folder, a .zip or .tar.gz, a URL, or a slug of ClawHub[@version]
  update <name>               Install it again from its source
  remove <name>               Remove it; its files are kept as versions
  verify <name>               Compare every file with the installed one; the exit code is 1 if one differs
  accept <name>               Accept an installed skill with its changes, after you have reviewed them
  sign <folder> --key <file>  Write ${SIGNATURE_FILE} with your Ed25519 key (PEM); --new-key creates the key

  --agent <id>         The agent (default: the default agent)
  --global             The skills of all agents, instead of this agent's own
  --replace            Replace an existing skill
  --force              Update a skill although it was changed here
  --version <version>  Of a skill of ClawHub
  --path <folder>      Which skill, of several in an archive
  --seen <digest>      Accept only the files that verify compared: the digest that it printed
  --json               Print the answer of the API as JSON
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Manages the skills of a running Isopod, or signs one for others. */
async function skills(): Promise<void> {
  const { values, positionals } = parsed();
  const [what, name, ...more] = positionals;
  if (values.help) return console.log(USAGE);
  if (what === undefined || more.length > 0 || (what === "list") !== (name === undefined)) throw new Problem(USAGE);
  if (what === "sign") return sign(name ?? "", values);
  const server = await findServer(values.vars, values.url, values.token);
  const agentId = values.agent ?? (await requestCaller(server)).agentId;
  await runVerb(what, name ?? "", { server, agentId, global: values.global }, values);
}

async function runVerb(what: string, name: string, place: Place, options: Options): Promise<void> {
  const { json, replace, force, version, path, seen } = options;
  const print = (answer: unknown, text: string) => console.log(json ? JSON.stringify(answer, null, 2) : text);
  switch (what) {
    case "list": {
      const report = await requestSkills(place, { verb: "list" }, isSkillReport);
      return print(report, skillsText(report));
    }
    case "show": {
      const skill = await requestSkills(place, { verb: "show", name }, isSkillDetail);
      return print(skill, skillText(skill));
    }
    case "install": {
      const origin = await skillOrigin(name);
      const change = await requestSkills(place, { verb: "install", origin, replace, version, path }, isSkillChange);
      return print(change, changeText(change));
    }
    case "update": {
      const change = await requestSkills(place, { verb: "update", name, force, version }, isSkillChange);
      return print(change, changeText(change));
    }
    case "remove": {
      const change = await requestSkills(place, { verb: "remove", name }, isSkillChange);
      return print(change, changeText(change));
    }
    case "accept": {
      const change = await requestSkills(place, { verb: "accept", name, seen }, isSkillChange);
      return print(change, changeText(change));
    }
    case "verify": {
      const verification = await requestSkills(place, { verb: "verify", name }, isSkillVerification);
      if (!verification.ok) process.exitCode = 1;
      return print(verification, verificationText(verification));
    }
    default:
      throw new Problem(USAGE);
  }
}

async function sign(folder: string, { key, "new-key": isNew, json }: Options): Promise<void> {
  if (key === undefined) throw new Problem("Name the file of your key with --key; --new-key creates one there.");
  const signature = await signSkill(folder, key, isNew);
  const lines = [
    `${signature.files} files are signed by the key ${signature.keyId}.`,
    `To trust it, add this to skills.install.trustedKeys: ${signature.publicKey}`,
  ];
  console.log(json ? JSON.stringify(signature, null, 2) : lines.join("\n"));
}

interface Place extends SkillPlace {
  server: Server;
}

/** @throws Problem where the server does not answer, ApiError for a refusal */
function requestSkills<T>(place: Place, request: SkillRequest, is: (value: unknown) => value is T): Promise<T> {
  return explainFailures(place.server, () => requestJson(place.server, skillRequest(place, request), is));
}

type Options = ReturnType<typeof parsed>["values"];

function parsed() {
  return parseArgs({
    options: {
      agent: { type: "string" },
      global: { type: "boolean", default: false },
      replace: { type: "boolean", default: false },
      force: { type: "boolean", default: false },
      version: { type: "string" },
      path: { type: "string" },
      seen: { type: "string" },
      key: { type: "string" },
      "new-key": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      token: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
}

await runCommand(skills);
