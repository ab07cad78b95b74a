import { readTasks, type Task } from "../task.ts";
import { FILE_TASKS } from "./files.ts";
import { PEOPLE_TASKS } from "./people.ts";
import { WEB_TASKS } from "./web.ts";

/** Our own requests, in English and in Chinese. */
export const OWN_TASKS: readonly Task[] = readTasks([...WEB_TASKS, ...FILE_TASKS, ...PEOPLE_TASKS]);
