import { parseArgs } from "node:util";
import { askModel } from "./tools/ask-model.ts";
import { allTools, checkTools } from "./tools/check-tools.ts";
import { checkServerTools } from "./tools/server-tasks.ts";

// Checks the schemas of all tools with calls as models make them; with --model asks a real model for its first call.

const USAGE = "npm run eval:tools -- [--json] [--model <provider>/<model>] [--only <id>]";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    model: { type: "string" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

if (values.model === undefined) {
  const { failed, ...figures } = checkTools();
  const { failed: notFound, ...servers } = await checkServerTools(allTools());
  print({ ...figures, ...servers }, [...failed, ...notFound]);
  if (failed.length + notFound.length > 0) process.exitCode = 1;
} else {
  const { failed, ...figures } = await askModel(values.model, values.only, (name) => process.env[name]);
  print(figures, failed);
}

function print(figures: object, failed: readonly string[]): void {
  if (!values.json) for (const failure of failed) console.log(`- ${failure}`);
  console.log(values.json ? JSON.stringify({ ...figures, failed }) : figures);
}
