import { expect, test } from "vitest";
import { slack } from "../../../src/channels/slack/slack.ts";
import { makeApp } from "./test-app.ts";

test("the manifest presets what the channel needs, at the webhook's address, and is JSON that people can paste", () => {
  const { context } = makeApp({ slashCommand: "/ada" });
  const url = "https://agent.example.com/channels/slack/default/webhook";
  const made = slack.manifest?.(context, url);
  const { features, oauth_config, settings } = JSON.parse(made?.text ?? "");
  expect(settings.event_subscriptions.request_url).toBe(url);
  expect(settings.interactivity).toEqual({ is_enabled: true, request_url: url });
  expect(features.slash_commands).toMatchObject([{ command: "/ada", url, should_escape: true }]);
  expect(features.app_home.messages_tab_read_only_enabled).toBe(false);
  expect(features.agent_view.agent_description).toMatch(/\S/);
  for (const event of settings.event_subscriptions.bot_events) {
    const [, kind] = String(event).split(".");
    expect(oauth_config.scopes.bot).toContain(`${kind}:history`);
  }
});
