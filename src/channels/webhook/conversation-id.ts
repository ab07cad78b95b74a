import { z } from "zod";

/**
 * An id that the service has for a sender, conversation or thread. It is no web address, by which the webhooks of jobs
 * are known.
 */
export const conversationId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u, "no control characters, and no space around it")
  .refine((id) => !/^https?:\/\//i.test(id), "no web address");
