import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { deliveryFields, directFields, groupFields, secretField, settingField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

const { deliveries: _, ...shownFields } = deliveryFields;

/** The configuration of a Google Chat app. */
export const googlechatAccount = z.strictObject({
  audience: settingField(
    "GOOGLE_CHAT_AUDIENCE",
    z.string().regex(/^(?:\d+|https:\/\/\S+)$/, "use the project number, or the endpoint URL"),
    "What the tokens of Google's calls are for, as set in the Chat API: the project number, or the endpoint URL",
  ),
  addOnAccount: settingField(
    "GOOGLE_CHAT_ADD_ON_ACCOUNT",
    z.string().regex(/^\S+@\S+$/, "use the address of the service account"),
    "The service account that signs the calls of an app that is a Google Workspace add-on; other apps have none",
  ),
  serviceAccount: secretField(
    "GOOGLE_CHAT_SERVICE_ACCOUNT",
    "The key of the service account that the app writes with, as Google's JSON",
  ),
  botUser: z
    .string()
    .regex(/^users\/[\w-]+$/, "write it as users/123")
    .optional()
    .describe("The app's own user, where other apps are mentioned in its spaces."),
  apiBase: address.default("https://chat.googleapis.com").describe("Address of the Chat API."),
  tokenUrl: address.default("https://oauth2.googleapis.com/token").describe("Where the service account logs in."),
  keysBase: address.default("https://www.googleapis.com").describe("Where Google publishes the keys of its tokens."),
  ...directFields,
  ...groupFields,
  ...shownFields,
});

/** The parsed configuration of an app. */
export type GooglechatAccount = z.output<typeof googlechatAccount>;

/** The channel context of one app. */
export type GooglechatContext = ChannelContext<GooglechatAccount>;

/** Joins the base of an address with a path. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, "")}/${path}`;
}
