import type { RetryCommand } from "./command.ts";

/** `/retry`: answers the last message again, where its answer failed or was stopped. */
export const retry: RetryCommand = {
  kind: "retry",
  name: "retry",
  summary: "Answer the last message again after a failure",
  usage: "/retry",
};
