import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requestJson } from "../client/http.ts";
import { type Diagnosis, isDiagnosis } from "../client/wire.ts";
import { diagnosisText } from "./diagnosis-text.ts";
import { runCommand } from "./problem.ts";
import { explainFailures, findServer } from "./server.ts";
import { VARIABLES_FILE } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USAGE = `Usage: npm run doctor -- [options]

Checks a running Isopod, and says how to fix what does not work. It changes nothing.
✓ ok, ! warning, ✗ failed. The exit code is 1 if a check failed.

  --security           Only the security audit
  --problems           Only warnings and failures
  --json               Print the answer of the API as JSON
  --url <address>      Address of Isopod (default: ISOPOD_URL, else http://127.0.0.1:8787)
  --token <token>      Its access token (default: ISOPOD_TOKEN)
  --vars <file>        File with ISOPOD_TOKEN and ISOPOD_URL (default: .dev.vars)
  --help               Show this`;

/** Shows the checks of the doctor of a running Isopod. */
async function doctor(): Promise<void> {
  const { values } = parseArgs({
    options: {
      security: { type: "boolean", default: false },
      problems: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      token: { type: "string" },
      vars: { type: "string", default: `${ROOT}${VARIABLES_FILE}` },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const server = await findServer(values.vars, values.url, values.token);
  const whole = await explainFailures(server, () => requestJson(server, { path: "/v1/doctor" }, isDiagnosis));
  const diagnosis = values.security ? securityPart(whole) : whole;
  console.log(values.json ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis, values.problems));
  if (!diagnosis.ok) process.exitCode = 1;
}

/** The checks of the security audit alone. */
function securityPart({ checks }: Diagnosis): Diagnosis {
  const audit = checks.filter(({ area }) => area === "security");
  return { ok: audit.every(({ status }) => status !== "fail"), checks: audit };
}

await runCommand(doctor);
