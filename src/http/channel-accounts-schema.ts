import { z } from "@hono/zod-openapi";

const finding = z
  .object({ status: z.enum(["ok", "warn", "fail"]), message: z.string(), fix: z.string().optional() })
  .openapi("ChannelFinding");
/** What was found or done at a platform. */
export const channelFindings = z.object({ findings: z.array(finding) });

const account = z
  .object({
    channel: z.string(),
    account: z.string(),
    ready: z.boolean().openapi({ description: "Whether it has all that sending needs." }),
    webhookUrl: z.string(),
    capabilities: z.array(z.string()),
    canConnect: z.boolean().openapi({ description: "Whether `connect` sets the platform up." }),
    hasManifest: z.boolean(),
    hasOwner: z.boolean().openapi({ description: "Whether an owner is known who writes on this channel." }),
    variables: z
      .record(z.string(), z.string())
      .openapi({ description: "The names of the variables with its secrets, by the field of the account." }),
    apiBase: z.string().optional().openapi({ description: "The address of the platform's interface." }),
  })
  .openapi("ChannelAccount");

/** The accounts of channels. */
export const channelAccounts = z.object({ accounts: z.array(account) });

/** What people paste into the settings of a platform. */
export const channelManifest = z.object({ use: z.string(), mediaType: z.string(), text: z.string() });

/** How a person becomes an owner: what they send, and the link that sends it. */
export const ownerLink = z.object({ message: z.string(), link: z.string().optional() });

export type ChannelAccounts = z.infer<typeof channelAccounts>;
export type ChannelFindings = z.infer<typeof channelFindings>;
export type ChannelManifest = z.infer<typeof channelManifest>;
export type OwnerLink = z.infer<typeof ownerLink>;
