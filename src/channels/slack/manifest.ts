import type { ChannelManifest } from "../channel.ts";
import type { SlackAccount } from "./account.ts";

/**
 * What the bot may do. `im:write` opens a DM for files, `reactions:read` finds reactions to remove, and
 * `assistant:write` belongs to the agent view.
 */
const SCOPES = [
  "assistant:write",
  "channels:history",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "im:history",
  "im:write",
  "mpim:history",
  "reactions:read",
  "reactions:write",
];

/** Mentions are messages of their channel: `app_mention` would only bring each of them twice. */
const EVENTS = ["message.channels", "message.groups", "message.im", "message.mpim"];

/**
 * The app's manifest: scopes, events, buttons, the slash command and the agent view, all at one address.
 * @see https://docs.slack.dev/reference/app-manifest
 */
export function appManifest({ slashCommand }: SlackAccount, webhookUrl: string): ChannelManifest {
  const manifest = {
    display_information: { name: "Isopod", description: "Your agent on Isopod" },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Isopod", always_online: true },
      agent_view: { agent_description: "Your agent on Isopod: it answers, remembers, and works for you." },
      slash_commands: [
        {
          command: slashCommand,
          url: webhookUrl,
          description: "Ask the agent; only you see the answer",
          usage_hint: "[words, or a command such as /status]",
          should_escape: true,
        },
      ],
    },
    oauth_config: { scopes: { bot: SCOPES } },
    settings: {
      event_subscriptions: { request_url: webhookUrl, bot_events: EVENTS },
      interactivity: { is_enabled: true, request_url: webhookUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return {
    use: "At https://api.slack.com/apps, choose Create New App, From a manifest, your workspace, and paste this as JSON.",
    mediaType: "application/json",
    text: JSON.stringify(manifest, null, 2),
  };
}
