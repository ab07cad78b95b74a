import { z } from "zod";
import { deliveryFields, directFields } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

const mailbox = z.email().transform((text) => text.toLowerCase());

/** The configuration of the agent's mailboxes. */
export const emailAccount = z.strictObject({
  addresses: z
    .array(mailbox)
    .max(50)
    .default([])
    .describe(
      "The addresses of the account, the first of which it writes from; where there are none, it takes what is routed to the Worker and answers from the address that was written to, but cannot write first.",
    ),
  name: z.string().min(1).max(100).optional().describe("The name beside the address in From."),
  unverified: z
    .enum(["refuse", "stranger"])
    .default("refuse")
    .describe(
      "What becomes of mail whose sender neither DMARC nor an aligned DKIM signature or SPF proves: it is refused, or a stranger's, whatever its From says.",
    ),
  verifier: z
    .string()
    .min(1)
    .max(253)
    .default("mx.cloudflare.net")
    .describe("The server whose Authentication-Results count: the one that hands over the mail."),
  ...directFields,
  allowFrom: directFields.allowFrom.transform((entries) => entries.map((entry) => entry.toLowerCase())),
  heartbeatVisibility: deliveryFields.heartbeatVisibility,
  deliveries: deliveryFields.deliveries,
});

/** The parsed configuration of a mailbox. */
export type EmailAccount = z.output<typeof emailAccount>;

/** The channel context of one account. */
export type EmailContext = ChannelContext<EmailAccount>;

/** The account whose addresses an address is one of, `+tag` or not; else the first that has none; undefined if no account takes it. */
export function accountFor(
  address: string,
  accounts: Readonly<Record<string, Pick<EmailAccount, "addresses">>>,
): string | undefined {
  const known = Object.entries(accounts);
  const named = known.find(([, { addresses }]) => isAddressOf(address, addresses));
  return (named ?? known.find(([, { addresses }]) => addresses.length === 0))?.[0];
}

/** Whether an address is one of these, apart from case and what follows a plus sign. */
export function isAddressOf(address: string, addresses: readonly string[]): boolean {
  const plain = address.toLowerCase();
  return addresses.includes(plain) || addresses.includes(plain.replace(/\+[^@]*(?=@)/, ""));
}
