import { z } from "zod";
import { defineTool, type Tool, type ToolCall } from "../agent/tool.ts";
import { hostOf } from "../lib/url.ts";
import type { Usage } from "../models/message.ts";
import { EgressError } from "../security/egress-error.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { hostLabel, joinLabels, type Label } from "../security/labels.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import { sniffImageType } from "../workspace/media-type.ts";
import { resolvePath } from "../workspace/paths.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { labelsOf } from "./labelled-text.ts";

/** A picture and what is asked about it. */
export interface LookRequest {
  question: string;
  bytes: Uint8Array;
  mediaType: string;
}

/** What looking at pictures needs. */
export interface LookPort {
  /** Asks a model that sees, within the budget. @throws Error that says why it does not answer */
  look(request: LookRequest, signal: AbortSignal): Promise<{ text: string; usage: Usage }>;
  /** The guarded way out. */
  egress: SafeFetch;
  /** The door for what pictures say. */
  outside: OutsidePort;
}

/** The largest picture that models take, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;
const FETCH_MS = 30_000;

const DESCRIBE = "What is in this picture? Describe it, and give every text in it word by word.";

const parameters = z.strictObject({
  path: z.string().optional().describe("The picture in the workspace; or `url`"),
  url: z.string().max(8_000).optional().describe("Its whole address, with https://"),
  question: z.string().min(1).max(4_000).optional().describe("What to find out; a description where absent"),
});

type Args = z.infer<typeof parameters>;

/** Asks a model about a picture and gives the answer as text. Safe to replay: it only reads. */
export function imageTool(port: LookPort, workspace: Pick<Workspace, "read">): Tool<Args> {
  return defineTool({
    name: "image",
    summary: "Ask about a picture",
    description:
      "Looks at a PNG, JPEG, GIF or WebP picture in the workspace or at a public address, and answers a question " +
      "about it. Pictures that you see need no call.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ path, url }) => [
      ...(url === undefined ? [] : [{ kind: "reach" as const, url }]),
      ...(path !== undefined && isPrivatePath(path) ? [{ kind: "read" as const, what: path }] : []),
    ],
    async run(args, call) {
      const { bytes, labels } = await pictureOf(args, call, workspace, port);
      const mediaType = sniffImageType(bytes);
      if (mediaType === undefined) throw new Error("It is no PNG, JPEG, GIF or WebP picture.");
      if (bytes.length > MAX_BYTES)
        throw new Error(`The picture has ${bytes.length} bytes, and ${MAX_BYTES} are the most.`);
      const { text, usage } = await port.look({ question: args.question ?? DESCRIBE, bytes, mediaType }, call.signal);
      if (labels.length === 0) return { text, usage };
      const source = args.url === undefined ? "unknown" : "web_fetch";
      const fenced = fromOutside({ text, source, labels }, port.outside);
      return { text: fenced.text, labels: fenced.labels, usage };
    },
  });
}

interface FoundPicture {
  bytes: Uint8Array;
  /** Where it comes from, if not from the owner. */
  labels: readonly Label[];
}

/** @throws Error, WorkspaceError */
async function pictureOf(
  { path: typed, url }: Args,
  { signal }: ToolCall,
  workspace: Pick<Workspace, "read">,
  { egress }: LookPort,
): Promise<FoundPicture> {
  if ((typed === undefined) === (url === undefined)) throw new Error("Give either `path` or `url`.");
  if (url !== undefined) return fetchPicture(url, egress, signal);
  const path = resolvePath(typed ?? "");
  const { file, bytes } = await workspace.read(path);
  return { bytes, labels: file.labels === undefined ? [] : labelsOf(path, file.labels) };
}

async function fetchPicture(url: string, egress: SafeFetch, signal: AbortSignal): Promise<FoundPicture> {
  try {
    const limits = { timeoutMs: FETCH_MS, maxBytes: MAX_BYTES, signal };
    const answer = await egress(url, { headers: { Accept: "image/webp, image/png, image/*;q=0.8" }, ...limits });
    const host = hostOf(answer.url);
    if (answer.status < 200 || answer.status > 299) throw new Error(`${host} answered with status ${answer.status}.`);
    return { bytes: answer.body, labels: joinLabels([hostLabel(hostOf(url)), hostLabel(host)]) };
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new Error(`${thrown.message} ${thrown.hint}`, { cause: thrown });
  }
}
