import { settingName } from "../account-fields.ts";
import type { ChannelManifest } from "../channel.ts";
import { botLogin, type MsteamsContext } from "./account.ts";

const SCHEMA = "https://developer.microsoft.com/json-schemas/teams/v1.19/MicrosoftTeams.schema.json";

/** With these, the bot also gets messages that do not mention it. */
const READ_ALL = ["ChannelMessage.Read.Group", "ChatMessage.Read.Chat"];

/** The manifest of the Teams app that contains the bot. */
export function appManifest(context: MsteamsContext, webhookUrl: string): ChannelManifest {
  const { account } = context;
  const appId = botLogin(context)?.appId ?? `<${settingName(account.appId, "appId")}>`;
  const { origin } = new URL(webhookUrl);
  const readsAll =
    !account.requireMention || Object.values(account.groups).some(({ requireMention }) => requireMention === false);
  const manifest = {
    $schema: SCHEMA,
    manifestVersion: "1.19",
    version: "1.0.0",
    id: appId,
    name: { short: "Isopod" },
    description: { short: "A personal agent.", full: "A personal agent that runs on Isopod." },
    developer: { name: "Isopod", websiteUrl: origin, privacyUrl: `${origin}/docs`, termsOfUseUrl: `${origin}/docs` },
    icons: { color: "color.png", outline: "outline.png" },
    accentColor: "#4F5B66",
    bots: [{ botId: appId, scopes: ["personal", "team", "groupChat"], supportsFiles: true }],
    validDomains: [],
    ...(readsAll && {
      webApplicationInfo: { id: appId },
      authorization: {
        permissions: { resourceSpecific: READ_ALL.map((name) => ({ name, type: "Application" })) },
      },
    }),
  };
  return {
    use: "Save it as manifest.json, zip it with color.png (192 × 192) and outline.png (32 × 32), and upload the file in Teams under Apps.",
    mediaType: "application/json",
    text: `${JSON.stringify(manifest, undefined, 2)}\n`,
  };
}
