/** What some models take besides text. */
export const INPUT_KINDS = ["image", "pdf", "audio"] as const;

export type InputKind = (typeof INPUT_KINDS)[number];

const SEES: readonly InputKind[] = ["image"];
const HEARS: readonly InputKind[] = ["image", "audio"];
const READS: readonly InputKind[] = ["image", "pdf"];
const TEXT_ALONE: readonly InputKind[] = [];

/**
 * What well-known model families take, narrow before wide, from their vendors' model pages. Names are compared in lower
 * case with `-` for `.`, because resellers write `claude-sonnet-5.5`.
 */
const FAMILIES: readonly (readonly [RegExp, readonly InputKind[]])[] = [
  [/claude-3-[57]|claude-[a-z]+-[4-9]/, READS],
  [/claude-3/, SEES],
  [/gpt-(?:audio|4o(?:-mini)?-audio)/, ["audio"]],
  [/gpt-oss|gpt-3|(?:^|\/)o[13]-mini/, TEXT_ALONE],
  [/gpt-(?:4o|4-1|[5-9])|(?:^|\/)(?:o1|o3|o4)(?:-|$)/, READS],
  [/gemini/, HEARS],
  [
    /grok-[4-9]|kimi-k(?:2-[5-9]|[3-9])|gemma-?[34]|llama-?4|llama-?3-2-.*vision|pixtral|llava|glm-[4-9](?:-\d)?v/,
    SEES,
  ],
  [/qwen.*-vl|qwen-?3-[5-9]/, SEES],
  [/deepseek-(?:v\d|chat|reasoner|r1)|kimi-k2|glm-|qwen/, TEXT_ALONE],
];

/** What a model takes besides text, by its name at the provider; undefined if unknown. */
export function knownInput(modelId: string): readonly InputKind[] | undefined {
  const name = modelId.toLowerCase().replaceAll(".", "-");
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

/** What a model takes over a wire format that carries these kinds; undefined if unknown. */
export function carriedInput(
  input: readonly InputKind[] | undefined,
  kinds: readonly InputKind[],
): readonly InputKind[] | undefined {
  return input?.filter((kind) => kinds.includes(kind));
}
