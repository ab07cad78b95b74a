import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Picture, PictureRequest } from "../media/media-model.ts";
import type { MadeFile, Usage } from "../models/message.ts";
import { type MadeFilesPort, madeFilesText } from "./made-files.ts";

/** What making pictures needs. */
export interface PicturePort {
  /** Makes pictures within the budget. @throws Error that says why it could not, or the signal's abort reason */
  generate(request: PictureRequest, signal: AbortSignal): Promise<{ pictures: Picture[]; usage: Usage }>;
}

const parameters = z.strictObject({
  prompt: z.string().min(1).max(4_000).describe("What the picture shows, and in which style"),
  size: z
    .string()
    .regex(/^\d{2,4}x\d{2,4}$/, "write width and height in pixels, such as 1024x1536")
    .optional()
    .describe("Width and height in pixels, such as 1024x1536"),
  n: z.int().min(1).max(4).default(1).describe("How many"),
});

/** Makes pictures for people. A crash may have used up the call, so that it is not replayed. */
export function imageGenerateTool(port: PicturePort, made: MadeFilesPort): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "image_generate",
    summary: "Make a picture",
    description:
      "Makes pictures from a description, which people get with your reply. It costs money and minutes: use it " +
      "when they ask for a picture, once for each wish.",
    parameters,
    replay: "unsafe",
    sequential: true,
    async run({ prompt, size, n }, { signal }) {
      const { pictures, usage } = await port.generate({ prompt, size, count: n }, signal);
      const files: MadeFile[] = [];
      for (const { bytes, mediaType } of pictures) files.push({ path: await made.keep("picture", bytes, mediaType) });
      return { text: madeFilesText(files, made), usage, ...(made.isSent && { files }) };
    },
  });
}
