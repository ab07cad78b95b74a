import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile } from "../../bench/statistics.ts";
import { judge } from "./judge.ts";
import type { Task } from "./task.ts";
import { TaskLab } from "./task-lab.ts";

export interface TasksReport {
  tasks: number;
  done: number;
  /** From a message to the end of its run. */
  medianMs: number;
  /** Questions that a person was asked. */
  asked: number;
  /** Estimated; absent where no price is known. */
  costUsd?: number;
  /** Done and all, by kind of task. */
  byKind: Record<string, [number, number]>;
  failed: string[];
}

/**
 * Does tasks one after another, each in a world of its own.
 * @param model `provider/model` in place of the scripted one
 */
export async function runTasks(
  tasks: readonly Task[],
  { model, say }: { model?: string | undefined; say: (what: string) => void },
): Promise<TasksReport> {
  const report: TasksReport = { tasks: tasks.length, done: 0, medianMs: 0, asked: 0, byKind: {}, failed: [] };
  const times: number[] = [];
  const bundle = await mkdtemp(join(tmpdir(), "isopod-tools-bundle-"));
  try {
    await TaskLab.bundle(bundle);
    for (const zone of new Set(tasks.map(({ now }) => now.zone))) {
      const inZone = tasks.filter(({ now }) => now.zone === zone);
      const lab = await TaskLab.open(inZone, bundle, model);
      try {
        for (const task of inZone) {
          const done = await lab.run(task);
          const faults = [
            ...(done.error === undefined ? [] : [`The run ended with: ${done.error}`]),
            ...judge(task, done),
          ];
          const [passed, all] = report.byKind[task.kind] ?? [0, 0];
          report.byKind[task.kind] = [passed + (faults.length === 0 ? 1 : 0), all + 1];
          report.asked += done.asked;
          times.push(done.tookMs);
          if (done.costUsd !== undefined) report.costUsd = (report.costUsd ?? 0) + done.costUsd;
          if (faults.length === 0) report.done++;
          else report.failed.push(`${task.id}: ${faults.join(" ")}`);
          say(
            `${faults.length === 0 ? "done" : "FAILED"} ${task.id} (${Math.round(done.tookMs)} ms${done.asked > 0 ? ", asked" : ""})`,
          );
        }
      } finally {
        await lab.close();
      }
    }
  } finally {
    await rm(bundle, { recursive: true, force: true, maxRetries: 3 });
  }
  return { ...report, medianMs: times.length === 0 ? 0 : Math.round(quantile(times, 0.5)) };
}
