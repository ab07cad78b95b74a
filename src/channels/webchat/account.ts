import { z } from "zod";
import { deliveryFields } from "../account-fields.ts";
import type { AccessPolicy, ChannelContext } from "../channel.ts";

/** The origin of a page, as browsers send it: `https://www.example.com`. */
const pageOrigin = z
  .string()
  .refine(isOrigin, "name an origin, such as https://www.example.com, without a path and without stars")
  .transform((url) => new URL(url).origin);

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@*]+\/?$/i.test(text) && URL.canParse(text);
}

/** The configuration of a chat box on websites. */
export const webchatAccount = z.strictObject({
  allowedOrigins: z
    .array(pageOrigin)
    .default([])
    .describe(
      "The origins of the pages that may have the chat box, such as `https://www.example.com`; none by default.",
    ),
  title: z.string().min(1).max(60).optional().describe("What the chat box is headed with; else the agent's name."),
  greeting: z.string().min(1).max(500).optional().describe("What a visitor reads before anybody has said anything."),
  dmPolicy: z
    .enum(["open", "disabled"])
    .default("open")
    .describe("Whether visitors may write. Nothing proves who they are, so that none of them is an owner."),
  visitorDays: z
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe("How many days after a visit a browser is still the same visitor, who finds the conversation again."),
  blockStreaming: deliveryFields.blockStreaming,
});

/** A chat box's parsed configuration. */
export type WebchatAccount = z.output<typeof webchatAccount>;

/** The channel context of one chat box. */
export type WebchatContext = ChannelContext<WebchatAccount>;

/** An account is off until a page may have it. */
export function isOff({ allowedOrigins, dmPolicy }: WebchatAccount): boolean {
  return dmPolicy === "disabled" || allowedOrigins.length === 0;
}

export function visitorAccess(account: WebchatAccount): AccessPolicy {
  return {
    dmPolicy: isOff(account) ? "disabled" : "open",
    ...{ allowFrom: [], groupPolicy: "disabled", groups: {}, requireMention: true, allowBots: false },
  };
}
