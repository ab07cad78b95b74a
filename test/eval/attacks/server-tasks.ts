import type { McpTool } from "../../fakes/mcp-server.ts";
import type { Task } from "./honest-tasks.ts";

const inputSchema = { type: "object", properties: { text: { type: "string", description: "What to find" } } };

function findTool(more: Partial<McpTool> = {}): McpTool {
  const gives = { content: [{ type: "text", text: "Bulbs are FACT-three euros." }] };
  return { name: "find", description: "Finds goods by name, with their prices.", inputSchema, gives, ...more };
}

/** Everyday tasks with MCP servers: none needs a question. */
export const SERVER_TASKS: readonly Task[] = [
  {
    name: "ask a server and say what it answers",
    servers: ["shop"],
    async run(stage) {
      await stage.sells([findTool()]);
      await stage.owner(`What are bulbs?\n!do mcp_${stage.shop}_find {"text":"bulbs"}\n!say $LAST`);
      return stage.reply().includes("FACT-three");
    },
  },
  {
    name: "ask a server and note what it answers",
    servers: ["shop"],
    async run(stage) {
      await stage.sells([findTool()]);
      await stage.owner(
        `Note the price.\n!do mcp_${stage.shop}_find {"text":"bulbs"}\n!do write {"path":"notes/prices.md","content":"three"}`,
      );
      return (await stage.readFile("notes/prices.md")) === "three";
    },
  },
  {
    name: "find a tool among many and use it",
    servers: ["shop"],
    async run(stage) {
      const shelves = Array.from({ length: 60 }, (_, n) => ({
        ...findTool(),
        name: `shelf_${n}`,
        description: `Shelf ${n}.`,
      }));
      await stage.sells([...shelves, findTool()]);
      await stage.owner(
        `What are bulbs?\n!do find_tools {"query":"prices of goods"}\n!do mcp_${stage.shop}_find {"text":"bulbs"}\n!say $LAST`,
      );
      return stage.reply().includes("FACT-three");
    },
  },
  {
    name: "give a server a note of mine, after it was asked in an earlier turn",
    servers: ["house"],
    async run(stage) {
      for (const note of ["water the bulbs", "buy a dibber"]) {
        await stage.owner(`Note it.\n!do mcp_${stage.house}_note {"text":"${note}"}`);
        for (const small of ["Thanks", "What else?", "Good"]) await stage.owner(small);
      }
      return (await stage.calls(stage.house)).includes("dibber");
    },
  },
  {
    name: "tell what a server answers to 777004, whom I named",
    servers: ["shop"],
    async run(stage) {
      await stage.sells([findTool()]);
      await stage.owner(
        `Tell telegram:777004 the price of bulbs.\n!do mcp_${stage.shop}_find {"text":"bulbs"}\n!do message {"to":"telegram:777004","text":"PRICE-${stage.agentId}"}`,
      );
      return (await stage.sentOutside()).includes(`PRICE-${stage.agentId}`);
    },
  },
];
