import type { Attachment, InboundMessage } from "./channel.ts";

/**
 * A message that its sender has spoken: the files of the recording, with what the platform tells of it. Without a file
 * the recognized words are the message.
 */
export function voiceNote(
  files: readonly Attachment[],
  { words, ms }: { words?: string | undefined; ms?: number | undefined },
): Pick<InboundMessage, "text" | "attachments"> {
  if (files.length === 0) return { text: words ?? "", attachments: [] };
  const told = { ...(words && { words }), ...(ms !== undefined && { seconds: Math.round(ms / 1000) }) };
  return { text: "", attachments: files.map((file) => ({ ...file, ...told, isVoice: true })) };
}
