import type { Section } from "../section.ts";

/** How to write what will be read aloud. */
export const voice: Section = {
  name: "voice",
  modes: ["full"],
  render: (input) => (input.voiceHint === undefined ? undefined : `## Voice (TTS)\n${input.voiceHint}`),
};
