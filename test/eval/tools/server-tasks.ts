import type { AnyTool } from "../../../src/agent/tool.ts";
import { toolSchema } from "../../../src/agent/tool.ts";
import { type RawTool, readTools } from "../../../src/mcp/listed-tool.ts";
import { mcpTool } from "../../../src/mcp/mcp-tool.ts";
import { type AssistantMessage, NO_USAGE } from "../../../src/models/message.ts";
import { type OfferedTools, offerTools } from "../../../src/turn/offer-tools.ts";

/** What a person asks that a tool of an MCP server does, among many others. */
export interface ServerTask {
  id: string;
  say: string;
  /** What a model looks for. */
  query: string;
  /** The name of the tool here that does it. */
  tool: string;
}

export const SERVER_TASKS: readonly ServerTask[] = [
  {
    id: "server-issue",
    say: "File a bug in our tracker: the login page is blank on phones.",
    query: "create a bug issue",
    tool: "mcp_tracker_create_issue",
  },
  {
    id: "server-issue-zh",
    say: "在我们的项目系统里给这个需求加一条评论：周五上线。",
    query: "给需求添加评论",
    tool: "mcp_xiangmu_xuqiu_pinglun_tianjia",
  },
];

/** The things of two servers, in English and in Chinese, and what can be done to each. */
const THINGS = [
  ...["issue", "project", "milestone", "label", "release", "branch", "pipeline", "wiki page", "board", "sprint"],
  ...["user", "team"],
];
const DEEDS = ["create", "list", "get", "update", "delete"];
const THINGS_ZH: Readonly<Record<string, string>> = {
  ...{ xuqiu: "需求", quexian: "缺陷", renwu: "任务", diedai: "迭代", wendang: "文档", ceshi: "测试用例" },
  ...{
    fabu: "发布",
    chengyuan: "成员",
    gongshi: "工时",
    biaoqian: "标签",
    pinglun: "评论",
    xuqiu_pinglun: "需求的评论",
  },
};
const DEEDS_ZH: Readonly<Record<string, string>> = {
  ...{ tianjia: "添加", liebiao: "列出", chakan: "查看", xiugai: "修改", shanchu: "删除" },
};

/** The 120 tools of both servers, with parameters as trackers have them. */
export async function serverTools(): Promise<AnyTool[]> {
  const english = THINGS.flatMap((thing) =>
    DEEDS.map((deed) => ({
      name: `${deed}_${thing.replace(" ", "_")}`,
      description: `${deed[0]?.toUpperCase()}${deed.slice(1)}s a ${thing} of the tracker. Gives its id, its state and who changed it last.`,
      inputSchema: schemaOf("The project's key, such as WEB", "Its fields by name", "Most entries of the answer"),
    })),
  );
  const chinese = Object.entries(THINGS_ZH).flatMap(([thing, name]) =>
    Object.entries(DEEDS_ZH).map(([deed, verb]) => ({
      name: `${thing}_${deed}`,
      description: `${verb}项目中的${name}，返回编号、状态和最后修改人。`,
      inputSchema: schemaOf("项目的标识", "各个字段的值", "最多返回多少条"),
    })),
  );
  return [...(await toolsOf("tracker", english)), ...(await toolsOf("xiangmu", chinese))];
}

function schemaOf(project: string, fields: string, limit: string): object {
  const properties = {
    project: { type: "string", description: project },
    id: { type: "string" },
    fields: { type: "object", description: fields, additionalProperties: { type: "string" } },
    limit: { type: "integer", minimum: 1, maximum: 100, description: limit },
  };
  return { type: "object", properties, required: ["project"] };
}

async function toolsOf(name: string, raw: readonly RawTool[]): Promise<AnyTool[]> {
  const { tools } = await readTools(name, raw);
  const config = { url: `https://${name}.example.org/mcp`, trusted: false } as never;
  const server = { name, config, host: `${name}.example.org`, tools, pending: [], leftOut: [] };
  return tools.map((tool) => mcpTool(server, tool, {} as never));
}

export interface ServerReport {
  serverTools: number;
  /** Tasks whose tool a search finds, so that the next request carries it. */
  found: number;
  /** Characters of the schemas of a turn with all of these tools: if all were sent, and as they are sent at first. */
  charsOfAll: number;
  charsSent: number;
  failed: string[];
}

/** Checks that each task's tool is sent once a model has looked for it, and not before. */
export async function checkServerTools(own: readonly AnyTool[]): Promise<ServerReport> {
  const servers = await serverTools();
  const all = [...own, ...servers];
  const offered = offerTools(all);
  const failed = SERVER_TASKS.flatMap(({ id, query, tool }) => {
    if (namesIn(offered, []).includes(tool)) return [`${id}: ${tool} is sent before it is looked for.`];
    return namesIn(offered, [search(query)]).includes(tool) ? [] : [`${id}: "${query}" does not find ${tool}.`];
  });
  return {
    serverTools: servers.length,
    found: SERVER_TASKS.length - failed.length,
    charsOfAll: charsOf(all),
    charsSent: charsOf(offered.offers([])),
    failed,
  };
}

function namesIn({ offers }: OfferedTools, messages: readonly AssistantMessage[]): string[] {
  return offers(messages).map(({ name }) => name);
}

function search(query: string): AssistantMessage {
  return {
    ...{ role: "assistant", id: "msg_1", at: 0, model: "eval/none", stop: "tool-calls", usage: NO_USAGE },
    parts: [{ type: "tool-call", callId: "call_1", tool: "find_tools", args: { query } }],
  };
}

function charsOf(tools: readonly AnyTool[]): number {
  return tools.reduce((chars, tool) => chars + JSON.stringify(toolSchema(tool)).length, 0);
}
