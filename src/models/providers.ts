/** The wire formats that models are asked in. */
export const WIRE_FORMAT_NAMES = ["openai-completions", "openai-responses", "anthropic-messages"] as const;

export type WireFormatName = (typeof WIRE_FORMAT_NAMES)[number];

/** A provider as the configuration would describe it. */
interface BuiltInProvider {
  baseUrl: string;
  api: WireFormatName;
  /** Where its key is; absent if it needs none. */
  apiKey?: { source: "env"; id: string };
  headers: Record<string, string>;
  models: [];
}

/** Providers that need no configuration except a key; ollama, lmstudio and vllm are expected on this machine. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, BuiltInProvider>> = {
  openai: hosted("openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY"),
  anthropic: hosted("anthropic-messages", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
  openrouter: hosted("openai-completions", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  deepseek: hosted("openai-completions", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
  groq: hosted("openai-completions", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  mistral: hosted("openai-completions", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  xai: hosted("openai-completions", "https://api.x.ai/v1", "XAI_API_KEY"),
  moonshot: hosted("openai-completions", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  zai: hosted("openai-completions", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
  ollama: local("http://127.0.0.1:11434/v1"),
  lmstudio: local("http://127.0.0.1:1234/v1"),
  vllm: local("http://127.0.0.1:8000/v1"),
};

function hosted(api: WireFormatName, baseUrl: string, key: string): BuiltInProvider {
  return { baseUrl, api, apiKey: { source: "env", id: key }, headers: {}, models: [] };
}

function local(baseUrl: string): BuiltInProvider {
  return { baseUrl, api: "openai-completions", headers: {}, models: [] };
}
