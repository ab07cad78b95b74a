import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import { IsopodError } from "../../src/lib/errors.ts";
import { createModelResolver } from "../../src/models/index.ts";
import { fixturePath } from "../fakes/fixtures.ts";
import { allTools, checkTools } from "./tools/check-tools.ts";
import { runTasks } from "./tools/run-tasks.ts";
import { checkServerTools } from "./tools/server-tasks.ts";
import { readTasks, type Task } from "./tools/task.ts";
import { OWN_TASKS } from "./tools/tasks/index.ts";
import { SHARED_SCRIPTS } from "./tools/tasks/shared-scripts.ts";

const SHARED_TASKS = fixturePath("schedule/tasks.json");
const USAGE = `Usage: npm run eval:tools -- [options]

Does requests of everyday life with the real tools, over servers on loopback, and checks the schemas of all tools.

  --model <provider/model>  A model in place of the scripted one, with its key in the environment; without pictures
  --tasks <file>            Tasks as JSON, in place of ours and the shared ones
  --only <text>             Only the tasks with this in their id
  --json                    End with one line of JSON
  --help                    Show this`;

async function evaluate(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string" },
      tasks: { type: "string" },
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (values.model !== undefined) requireModel(values.model);
  const tasks = load(values.tasks).filter(
    (task) => task.id.includes(values.only) && (values.model === undefined || !hasPictures(task)),
  );
  if (tasks.length === 0) throw new Problem(`No task has '${values.only}' in its id.`);
  const { byKind, failed, ...figures } = await runTasks(tasks, { model: values.model, say: console.error });
  const { failed: refused, wrongCalls, charsOfSchemas } = checkTools();
  const { failed: notFound, found: _, ...servers } = await checkServerTools(allTools());
  const faults = [...failed, ...refused, ...notFound];
  for (const fault of faults) console.log(`- ${fault}`);
  if (!values.json) for (const [kind, [done, all]] of Object.entries(byKind)) console.log(`${kind}: ${done} of ${all}`);
  const report = {
    ...(values.model !== undefined && { model: values.model }),
    ...figures,
    charsOfSchemas,
    wrongCalls,
    ...servers,
  };
  console.log(values.json ? JSON.stringify(report) : report);
  // What a real model does is a finding; what a scripted one cannot do is a fault.
  if (faults.length > 0 && values.model === undefined) process.exitCode = 1;
}

/** @throws Problem that says what to set */
function requireModel(ref: string): void {
  const auth = { profiles: {}, order: {} };
  try {
    createModelResolver({ providers: {}, auth, secret: (name) => process.env[name], fetch }).resolve(ref);
  } catch (error) {
    throw error instanceof IsopodError ? new Problem(`--model: ${error.message}. ${error.hint}`) : error;
  }
}

/** Pictures of the tasks are placeholders, of which the scripted model says what they show. */
function hasPictures({ world }: Task): boolean {
  return Object.values(world.files).some((file) => typeof file === "object" && "image" in file);
}

function load(file: string | undefined): Task[] {
  if (file !== undefined) return read(file);
  const shared = existsSync(SHARED_TASKS) ? read(SHARED_TASKS) : [];
  return [...OWN_TASKS, ...shared.map((task) => ({ ...task, script: { ...task.script, ...SHARED_SCRIPTS[task.id] } }))];
}

/** @throws Problem that names what is wrong in the file */
function read(file: string): Task[] {
  try {
    return readTasks(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Problem(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

await runCommand(evaluate);
