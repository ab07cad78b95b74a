import "vitest";

declare module "vitest" {
  /** What the global setup provides, for `inject`. */
  interface ProvidedContext {
    /** Address of the fake model provider (test/fakes/model-server.ts). */
    modelServer: string;
    /** Address of the fake Bot API of Telegram (test/fakes/bot-api.ts). */
    botApi: string;
    /** Address of the server that stands for all else that is outside (test/fakes/outside.ts). */
    outside: string;
    /** Address of the servers of all other platforms (test/fakes/platforms/server.ts). */
    platforms: string;
    /** Address of the provider of speech, transcripts and pictures (test/fakes/media-server.ts). */
    media: string;
    /** Address of Discord's Gateway (test/fakes/platforms/discord-gateway.ts). */
    discordGateway: string;
    /** Address of the servers of MCP (test/fakes/mcp-server.ts). */
    mcp: string;
    /** Address of Browser Run with scripted browsers (test/fakes/browser-run.ts). */
    browserRun: string;
    /** Whether there are fixtures under `<modelServer>/fixtures/`. */
    fixtures: boolean;
  }
}
