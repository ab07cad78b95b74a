import type { TestProject } from "vitest/node";
import { startBotApi } from "./bot-api.ts";
import { startBrowserRun } from "./browser-run.ts";
import { hasFixtures } from "./fixtures.ts";
import { startMcpServer } from "./mcp-server.ts";
import { startMediaServer } from "./media-server.ts";
import { startModelServer } from "./model-server.ts";
import { startOutside } from "./outside.ts";
import { startDiscordGateway } from "./platforms/discord-gateway.ts";
import { startPlatforms } from "./platforms/server.ts";
import { ScriptedChromium } from "./scripted-chromium.ts";

/** Starts what is outside of the Worker before the tests, and tells them where it is; see globals.d.ts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [models, botApi, outside, platforms, media, discordGateway, mcp, browserRun] = await Promise.all([
    startModelServer(),
    startBotApi(),
    startOutside(),
    startPlatforms(),
    startMediaServer(),
    startDiscordGateway(),
    startMcpServer(),
    startBrowserRun((send) => new ScriptedChromium(send)),
  ]);
  project.provide("modelServer", models.url);
  project.provide("botApi", botApi.url);
  project.provide("outside", outside.url);
  project.provide("platforms", platforms.url);
  project.provide("media", media.url);
  project.provide("discordGateway", discordGateway.url);
  project.provide("mcp", mcp.url);
  project.provide("browserRun", browserRun.url);
  project.provide("fixtures", await hasFixtures());
  return async () => {
    const servers = [models, botApi, outside, platforms, media, discordGateway, mcp, browserRun];
    await Promise.all(servers.map((server) => server.close()));
  };
}
