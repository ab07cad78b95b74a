import { z } from "zod";
import { agentMayWrite } from "../config/field-marks.ts";
import { type SecretRef, secretRef } from "../config/secret-ref.ts";
import type { AccessPolicy, ChannelContext } from "./channel.ts";
import { groupRules } from "./group-rules.ts";
import { heartbeatVisibility } from "./heartbeat-visibility.ts";

/** Who may write directly. Every channel with people has it. */
export const directFields = {
  dmPolicy: z
    .enum(["pairing", "allowlist", "open", "disabled"])
    .default("pairing")
    .describe("Who may write to the agent directly: paired senders, those in allowFrom, everyone, or nobody."),
  allowFrom: z
    .array(z.string().min(1))
    .default([])
    .describe("Senders who may write directly: ids, `@usernames`, or `*` for everyone."),
};

/** Which groups the agent answers in. Channels with groups have it. */
export const groupFields = {
  groupPolicy: z
    .enum(["allowlist", "open", "disabled"])
    .default("allowlist")
    .describe("Which groups the agent answers in: those in groups, all, or none."),
  groups: z
    .record(z.string(), groupRules)
    .default({})
    .describe("Groups that the agent answers in, by their id; a `*` at the end stands for every other that begins so."),
  requireMention: z
    .boolean()
    .default(true)
    .describe("Whether a group has to address the agent: by a mention, a reply to it or a command with its name."),
  allowBots: z
    .boolean()
    .default(false)
    .describe("Whether other bots may talk to the agent; three rounds at most without a person in between."),
};

/** How messages of the agent are delivered. Every channel has it. */
export const deliveryFields = {
  heartbeatVisibility,
  blockStreaming: z
    .boolean()
    .optional()
    .meta(agentMayWrite("Whether a long reply comes in blocks while it is being written; else the agent's default.")),
  deliveries: z
    .strictObject({
      atLeastOnce: z
        .boolean()
        .default(false)
        .describe(
          "Whether a message whose arrival is unknown is sent again, so that it may come twice, instead of being told of.",
        ),
    })
    .prefault({})
    .describe("What happens to messages whose arrival is unknown."),
};

/** Native replies. Channels that can quote a message have it. */
export const replyFields = {
  replyToMode: z
    .enum(["off", "first", "all"])
    .default("off")
    .meta(
      agentMayWrite(
        "Which texts of a reply answer the message natively, unless the agent says so: none, the first, or all.",
      ),
    ),
};

/** Emoji reactions. Channels that have them have it. */
export const reactionFields = {
  reactionLevel: z
    .enum(["off", "ack", "minimal", "extensive"])
    .default("minimal")
    .meta(
      agentMayWrite(
        "Reactions with emojis: none, only to say that a message has come, or the agent's own, seldom or freely.",
      ),
    ),
};

/** Chats with people and groups, native replies and reactions. */
export const chatFields = { ...directFields, ...groupFields, ...deliveryFields, ...replyFields, ...reactionFields };

/** A secret of an account, by the name of its variable. */
export function secretField(variable: string, what: string) {
  return secretRef.default({ source: "env", id: variable }).describe(`${what}, by the name of its variable.`);
}

/** What an account says of itself that is no secret: the value, or the name of the variable that has it. */
export type Setting = string | SecretRef;

/** A setting of an account, which a variable has unless the configuration does. */
export function settingField(variable: string, value: z.ZodString, what: string) {
  return z
    .union([value, secretRef])
    .default({ source: "env", id: variable })
    .describe(`${what}, or the name of its variable.`);
}

/** The value of a setting; undefined if its variable is not set. */
export function settingValue(
  setting: Setting,
  { secret }: Pick<ChannelContext<unknown>, "secret">,
): string | undefined {
  return typeof setting === "string" ? setting : secret(setting);
}

/** What people are told to set: the variable of a setting, else its field. */
export function settingName(setting: Setting, field: string): string {
  return typeof setting === "string" ? field : setting.id;
}

/** The access policy of an account without groups. */
export function directAccess({ dmPolicy, allowFrom }: Pick<AccessPolicy, "dmPolicy" | "allowFrom">): AccessPolicy {
  return { dmPolicy, allowFrom, groupPolicy: "disabled", groups: {}, requireMention: true, allowBots: false };
}
