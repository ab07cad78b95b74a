/** What the Worker under test is configured with: every model of provider `fake` is a scenario of the fake server. */
export function testConfig(modelServer: string, botApi: string) {
  const wire = (api: string) => ({ baseUrl: `${modelServer}/v1`, api });
  return {
    agents: {
      defaults: { model: "fake/default", maxConcurrent: { cron: 2 } },
      list: [{ id: "main" }, { id: "other", model: "fake/other" }],
    },
    models: {
      providers: {
        fake: wire("openai-completions"),
        responses: wire("openai-responses"),
        anthropic: wire("anthropic-messages"),
      },
    },
    commands: { ownerAllowFrom: ["telegram:42"] },
    channels: { telegram: { accounts: { default: { apiBase: botApi, username: "isopod_bot" } } } },
  };
}
