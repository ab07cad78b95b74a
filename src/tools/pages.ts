import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { fileOutput, MAX_LINES } from "./file-output.ts";
import { type Address, addressIn, addressText, listAddress, type Resources, readAddress } from "./resources.ts";

const readParameters = z.strictObject({
  path: z.string().describe("Its address, such as docs://index"),
  offset: z.int().min(1).optional().describe("First line to show, counted from 1"),
  limit: z.int().min(1).optional().describe(`Number of lines to show, ${MAX_LINES} at most`),
});

const listParameters = z.strictObject({ path: z.string().describe("An address, such as docs://") });

/** `read` for turns without workspace access: it shows public pages only. */
export function readPagesTool(resources: Resources): Tool<z.infer<typeof readParameters>> {
  return defineTool({
    name: "read",
    summary: `Read pages of ${schemeList(resources)}`,
    description: `Shows a page of ${schemeList(resources)}, up to ${MAX_LINES} lines or 50 KB at a time. The workspace is not open to this conversation.`,
    parameters: readParameters,
    replay: "safe",
    sequential: false,
    async run({ path, offset, limit = MAX_LINES }) {
      const address = addressOnly(path, resources);
      const { content, line } = await readAddress(resources, address);
      return fileOutput(addressText(address), content, { from: offset ?? line, limit });
    },
  });
}

/** `ls` for turns without workspace access. */
export function listPagesTool(resources: Resources): Tool<z.infer<typeof listParameters>> {
  return defineTool({
    name: "ls",
    summary: `List pages of ${schemeList(resources)}`,
    description: `Lists the pages of ${schemeList(resources)} with what each is about. The workspace is not open to this conversation.`,
    parameters: listParameters,
    replay: "safe",
    sequential: false,
    run: async ({ path }) => ({ text: await listAddress(resources, addressOnly(path, resources)) }),
  });
}

function addressOnly(typed: string, resources: Resources): Address {
  const address = addressIn(typed);
  if (address !== undefined) return address;
  throw new Error(`The workspace is not open to this conversation. What can be read is ${schemeList(resources)}.`);
}

function schemeList(resources: Resources): string {
  return Object.keys(resources)
    .map((scheme) => `${scheme}://`)
    .join(", ");
}
