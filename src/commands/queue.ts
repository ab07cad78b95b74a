import { z } from "zod";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { ImmediateCommand } from "./command.ts";

const MODES = ["steer", "followup", "collect", "interrupt"] as const;
const DROPS = ["refuse", "summarize", "old", "new"] as const;

const change = z.strictObject({
  mode: z.enum(MODES).optional(),
  debounceMs: z.coerce.number().int().min(0).max(60_000).optional(),
  cap: z.coerce.number().int().min(1).max(1000).optional(),
  drop: z.enum(DROPS).optional(),
});

/** `/queue [mode] [debounceMs=…] [cap=…] [drop=…] | reset`: how messages are queued during a run. */
export const queue: ImmediateCommand = {
  kind: "immediate",
  name: "queue",
  summary: "Show or set how messages are queued during a run",
  usage: "/queue [steer | followup | collect | interrupt] [debounceMs=…] [cap=…] [drop=…] | reset",
  run(args, session) {
    if (args === "") return show(session.queuePolicy());
    if (args === "reset" || args === "default") {
      session.setQueuePolicy({});
      return show(session.queuePolicy());
    }
    const parsed = change.safeParse(Object.fromEntries(args.split(/\s+/).map(toPair)));
    if (!parsed.success)
      return `${z.prettifyError(parsed.error)}\n\nUse \`/queue ${MODES.join("|")} debounceMs=500 cap=20 drop=${DROPS.join("|")}\`.`;
    session.setQueuePolicy(withoutUndefined(parsed.data));
    return show(session.queuePolicy());
  },
};

/** `collect` alone is the mode; `cap=5` and `cap:5` are options. */
function toPair(word: string): [string, string] {
  const [name = "", value] = word.split(/[=:]/, 2);
  return value === undefined ? ["mode", name.toLowerCase()] : [name, value];
}

function withoutUndefined(policy: z.output<typeof change>): Partial<QueuePolicy> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined));
}

function show({ mode, debounceMs, cap, drop }: QueuePolicy): string {
  return `Queue: **${mode}** (debounceMs=${debounceMs}, cap=${cap}, drop=${drop}).`;
}
