import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { readWebhookKeys, type WebhookKeys } from "../../security/standard-webhooks.ts";
import { deliveryFields, directFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of a signed webhook. */
export const webhookAccount = z.strictObject({
  secret: secretField(
    "WEBHOOK_SECRET",
    "The secret of both sides (`whsec_…`), several with commas between them, of which the first signs, and public keys of senders (`whpk_…`)",
  ),
  replyUrl: address
    .optional()
    .describe("Where replies are posted, signed, through the guarded egress; without it nobody gets any."),
  ...directFields,
  dmPolicy: directFields.dmPolicy
    .removeDefault()
    .default("open")
    .describe(
      "Which senders may write: only who has the secret can name one. Everyone, those in allowFrom, or nobody.",
    ),
  ...deliveryFields,
  deliveries: z
    .strictObject({
      atLeastOnce: z
        .boolean()
        .default(true)
        .describe("Whether a reply is posted again, under the same `webhook-id`, if it may not have arrived."),
    })
    .prefault({})
    .describe("What happens to replies whose arrival is unknown."),
});

/** A signed webhook's parsed configuration. */
export type WebhookAccount = z.output<typeof webhookAccount>;

/** The channel context of one signed webhook. */
export type WebhookContext = ChannelContext<WebhookAccount>;

/** The keys of an account; empty while its variable is not set. */
export function accountKeys({ account, secret }: Pick<WebhookContext, "account" | "secret">): WebhookKeys {
  return readWebhookKeys(secret(account.secret) ?? "");
}
