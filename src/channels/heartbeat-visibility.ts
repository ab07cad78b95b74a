import { z } from "zod";

/** What of heartbeats a conversation is shown; absent fields are those of the level above. */
export const heartbeatVisibility = z
  .strictObject({
    showOk: z.boolean().optional().describe("Whether HEARTBEAT_OK is delivered; it is not where absent."),
    showAlerts: z.boolean().optional().describe("Whether alerts are delivered; they are where absent."),
    useIndicator: z
      .boolean()
      .optional()
      .describe("Whether the page shows the last heartbeat of an agent; it does where absent."),
  })
  .optional()
  .describe("What of heartbeats is shown there.");
