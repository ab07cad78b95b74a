/** The limits of a model, in tokens. */
export interface Limits {
  contextWindow: number;
  maxOutputTokens: number;
}

/** For unknown models. */
const DEFAULT: Limits = { contextWindow: 128_000, maxOutputTokens: 8_192 };

/**
 * The limits of well-known model families, narrow before wide, from their vendors' model pages. Names are compared in
 * lower case with `-` for `.`, because resellers write `claude-sonnet-5.5`.
 */
const FAMILIES: readonly (readonly [RegExp, number, number])[] = [
  [/claude-(?:fable|mythos|opus|sonnet|haiku)-[5-9]/, 1_000_000, 128_000],
  [/claude-(?:opus|sonnet)-4-[6-9]/, 200_000, 128_000],
  [/claude-opus-4(?:-[01])?(?:-20\d{6})?$/, 200_000, 32_000],
  [/claude-(?:opus|sonnet|haiku)-4|claude-3-7/, 200_000, 64_000],
  [/claude-3/, 200_000, 4_096],
  [/gpt-\d+(?:-\d)?-chat/, 128_000, 16_384],
  [/gpt-(?:[6-9]|5-[4-9])(?!\d)(?!-(?:mini|nano))/, 1_050_000, 128_000],
  [/gpt-5/, 400_000, 128_000],
  [/gpt-4-1/, 1_047_576, 32_768],
  [/gpt-4o/, 128_000, 16_384],
  [/(?:^|\/)o[134](?:-|$)/, 200_000, 100_000],
  [/gpt-3-5/, 16_385, 4_096],
  [/gemini-(?:2-5|[3-9])/, 1_048_576, 65_536],
  [/deepseek-(?:v[4-9]|chat|reasoner)/, 1_000_000, 65_536],
  [/kimi-k[2-9]/, 262_144, 32_768],
  [/glm-(?:4-[6-9]|[5-9])/, 200_000, 131_072],
  [/grok-[4-9]/, 256_000, 32_768],
];

/** The limits of a model, by its name at the provider. */
export function modelLimits(modelId: string): Limits {
  const name = modelId.toLowerCase().replaceAll(".", "-");
  const family = FAMILIES.find(([pattern]) => pattern.test(name));
  return family === undefined ? DEFAULT : { contextWindow: family[1], maxOutputTokens: family[2] };
}
