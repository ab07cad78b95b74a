import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Speech, SpeechRequest } from "../media/media-model.ts";
import { type MadeFilesPort, madeFilesText } from "./made-files.ts";

/** What reading aloud needs. */
export interface SpeechPort {
  /** Reads aloud within the budget. @throws Error that says why it could not, or the signal's abort reason */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Speech>;
  /** Most characters. */
  maxChars: number;
}

const parameters = z.strictObject({
  text: z.string().min(1).max(10_000).describe("What is said, as plain text"),
  voice: z.string().max(100).optional().describe("The usual one where absent"),
});

/** Reads a text aloud for people. Safe to replay: the same text is the same file. */
export function ttsTool(port: SpeechPort, made: MadeFilesPort): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "tts",
    summary: "Read a text aloud",
    description: "Reads a text aloud; people get it as a voice note. Use it only when they want to hear something.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ text, voice }, { signal }) {
      if (text.length > port.maxChars) {
        throw new Error(`The text has ${text.length} characters; ${port.maxChars} are read aloud at most.`);
      }
      const { bytes, mediaType, usage } = await port.speak({ text, voice }, signal);
      const files = [{ path: await made.keep("speech", bytes, mediaType), asVoice: true as const }];
      return { text: madeFilesText(files, made), usage, ...(made.isSent && { files }) };
    },
  });
}
