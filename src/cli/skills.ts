import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requestJson, type Server } from "../client/http.ts";
import { type SkillPlace, type SkillRequest, skillRequest } from "../client/skill-request.ts";
import { isSkillChange, isSkillDetail, isSkillReport, isSkillVerification } from "../client/wire.ts";
import { Problem, runCommand } from "./problem.ts";
import { answered, findServer, meet } from "./server.ts";
import { SIGNATURE_FILE, signSkill } from "./sign-skill.ts";
import { skillOrigin } from "./skill-source.ts";
import { changeText, skillsText, skillText, verificationText } from "./skills-text.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run skills -- <what> [options]

Looks after the skills of a running Isopod.

  list                        What there is, what is left out, and why
  show <name>                 One skill, its files and its text
  install <what>              A folder, a .zip or .tar.gz, an address, or a slug of ClawHub[@version]
  update <name>               Gets it again from where it came from
  remove <name>               Takes it away; its files are kept as versions
  verify <name>               Compares every file with what was installed. The exit code is 1 where one differs
  accept <name>               Takes an installed skill as it is now, after you have looked at it
  sign <folder> --key <file>  Writes ${SIGNATURE_FILE} with your Ed25519 key (PEM); --new-key makes the key

  --agent <id>         Whose skills (default: the agent that answers)
  --global             Those that all agents have, instead of this agent's own
  --replace            Install in the place of what is there
  --force              Update what was changed here since it was installed
  --version <version>  Of a skill of ClawHub
  --path <folder>      Which skill, of several in an archive
  --seen <digest>      Accept only what verify has compared, which told it
  --json               What the API answers, as it is
  --url <address>      Where Isopod answers (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Looks after the skills of a running Isopod, or signs one for others. */
async function skills(): Promise<void> {
  const { values, positionals } = parsed();
  const [what, name, ...more] = positionals;
  if (values.help) return console.log(USAGE);
  if (what === undefined || more.length > 0 || (what === "list") !== (name === undefined)) throw new Problem(USAGE);
  if (what === "sign") return sign(name ?? "", values);
  const server = await findServer(values.vars, values.url, values.token);
  const agentId = values.agent ?? (await meet(server)).agentId;
  await lookAfter(what, name ?? "", { server, agentId, global: values.global }, values);
}

async function lookAfter(what: string, name: string, place: Place, options: Options): Promise<void> {
  const { json, replace, force, version, path, seen } = options;
  const say = (answer: unknown, text: string) => console.log(json ? JSON.stringify(answer, null, 2) : text);
  switch (what) {
    case "list": {
      const report = await askSkills(place, { verb: "list" }, isSkillReport);
      return say(report, skillsText(report));
    }
    case "show": {
      const skill = await askSkills(place, { verb: "show", name }, isSkillDetail);
      return say(skill, skillText(skill));
    }
    case "install": {
      const origin = await skillOrigin(name);
      const change = await askSkills(place, { verb: "install", origin, replace, version, path }, isSkillChange);
      return say(change, changeText(change));
    }
    case "update": {
      const change = await askSkills(place, { verb: "update", name, force, version }, isSkillChange);
      return say(change, changeText(change));
    }
    case "remove": {
      const change = await askSkills(place, { verb: "remove", name }, isSkillChange);
      return say(change, changeText(change));
    }
    case "accept": {
      const change = await askSkills(place, { verb: "accept", name, seen }, isSkillChange);
      return say(change, changeText(change));
    }
    case "verify": {
      const verification = await askSkills(place, { verb: "verify", name }, isSkillVerification);
      if (!verification.ok) process.exitCode = 1;
      return say(verification, verificationText(verification));
    }
    default:
      throw new Problem(USAGE);
  }
}

async function sign(folder: string, { key, "new-key": isNew, json }: Options): Promise<void> {
  if (key === undefined) throw new Problem("Name the file of your key with --key; --new-key makes one there.");
  const signature = await signSkill(folder, key, isNew);
  const told = [
    `${signature.files} files are signed by the key ${signature.keyId}.`,
    `Who is to trust it adds this to skills.install.trustedKeys: ${signature.publicKey}`,
  ];
  console.log(json ? JSON.stringify(signature, null, 2) : told.join("\n"));
}

interface Place extends SkillPlace {
  server: Server;
}

/** @throws Problem where nobody answers, ApiError for a refusal */
function askSkills<T>(place: Place, request: SkillRequest, is: (value: unknown) => value is T): Promise<T> {
  return answered(place.server, () => requestJson(place.server, skillRequest(place, request), is));
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
