import type { MadeFile } from "../models/message.ts";

/** Where the media that tools make go. */
export interface MadeFilesPort {
  /** Stores a file and gives its path; the same content has the same path. @throws WorkspaceError */
  keep(kind: "picture" | "speech", bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<string>;
  /** Whether what is made is sent with the reply. */
  isSent: boolean;
}

/** What a model reads of files that were made. */
export function madeFilesText(files: readonly MadeFile[], { isSent }: Pick<MadeFilesPort, "isSent">): string {
  const lines = files.map(({ path }) => `Stored as ${path}.`);
  const it = files.length === 1 ? "It is" : "They are";
  return [
    ...lines,
    ...(isSent ? [`${it} sent with your reply: do not attach ${files.length === 1 ? "it" : "them"} again.`] : []),
  ].join("\n");
}
