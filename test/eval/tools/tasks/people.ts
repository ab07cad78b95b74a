import type { McpTool } from "../../../fakes/mcp-server.ts";
import type { WrittenTask } from "../task.ts";
import { BERLIN, SHANGHAI } from "./places.ts";

const fields = { project: { type: "string" }, title: { type: "string" }, id: { type: "string" } };

/** As many tools as a tracker has: too many for every request. */
const TRACKER: McpTool[] = ["issue", "milestone", "label", "release", "branch", "wiki_page", "board", "sprint", "team"]
  .flatMap((thing) => ["create", "list", "get", "update", "delete"].map((deed) => [deed, thing] as const))
  .map(([deed, thing]) => ({
    name: `${deed}_${thing}`,
    description: `${deed} a ${thing} of a project, by its key such as WEB`,
    inputSchema: { type: "object", properties: fields, required: ["project"] },
  }));

/** Reminders, messages, calendars, pictures and the agent itself. */
export const PEOPLE_TASKS: readonly WrittenTask[] = [
  {
    ...{ id: "remind-every-two-hours-zh", lang: "zh", kind: "reminder", now: SHANGHAI },
    say: "每两个小时提醒我喝水。",
    steps: [{ one: ["cron"], args: { action: "add" } }],
    script: {
      calls: [
        [
          "cron",
          {
            action: "add",
            schedule: { kind: "every", everyMs: 7_200_000 },
            payload: { kind: "systemEvent", text: "提醒喝水" },
          },
        ],
      ],
    },
    answerHas: ["22:15|两个?小时|2 ?小时"],
  },
  {
    ...{ id: "remind-monthly", lang: "en", kind: "reminder", now: BERLIN },
    say: "On the first of each month at nine, remind me to read the meter.",
    steps: [{ one: ["cron"], args: { action: "add", "schedule.kind": "cron", "schedule.expr": "0 9 1 * *" } }],
    answerHas: ["December|2026-12-01|09:00|9:00"],
  },
  {
    ...{ id: "remind-pause-zh", lang: "zh", kind: "reminder", now: SHANGHAI },
    say: "先暂停浇花的提醒。",
    steps: [
      { one: ["cron"], args: { action: "list" } },
      { one: ["cron"], args: { action: "update", jobId: "job_1", enabled: false } },
    ],
    world: { cron: { list: [{ id: "job_1", name: "浇花", next: "2026-11-24T18:00:00+08:00" }] } },
    answerHas: ["浇花"],
  },
  {
    ...{ id: "remind-move", lang: "en", kind: "reminder", now: BERLIN },
    say: "Move the dentist reminder to Wednesday at eleven.",
    steps: [
      { one: ["cron"], args: { action: "list" } },
      { one: ["cron"], args: { action: "update", jobId: "job_2", "schedule.at": "2026-11-25T11:00:00+01:00" } },
    ],
    world: { cron: { list: [{ id: "job_2", name: "Dentist", next: "2026-11-25T10:00:00+01:00" }] } },
    script: {
      calls: [
        ["cron", { action: "list" }],
        ["cron", { action: "update", jobId: "job_2", schedule: { kind: "at", at: "2026-11-25T11:00:00+01:00" } }],
      ],
    },
    answerHas: ["11:00|eleven|11 a"],
  },
  {
    ...{ id: "remind-none-zh", lang: "zh", kind: "reminder", now: SHANGHAI },
    say: "我现在有哪些提醒？",
    steps: [{ one: ["cron"], args: { action: "list" } }],
    script: { answer: '没有任何提醒。{{("jobs":\\[\\])}}' },
    answerHas: ["没有|暂无|无"],
  },
  {
    ...{ id: "message-buttons", lang: "en", kind: "message", now: BERLIN },
    say: "Ask Mia on Telegram whether Friday suits her, with the buttons Yes and No.",
    steps: [{ one: ["message"], args: { channel: "telegram", to: "77", text: "/Friday/" } }],
    world: { contacts: { Mia: { telegram: "77" } } },
    script: {
      calls: [
        [
          "message",
          { to: "telegram:77", text: "Does Friday suit you?", buttons: [[{ label: "Yes" }, { label: "No" }]] },
        ],
      ],
      answer: "I have asked Mia. $ALL",
    },
    answerHas: ["Mia"],
  },
  {
    ...{ id: "message-file-zh", lang: "zh", kind: "message", now: SHANGHAI },
    say: "把 report.md 用 Telegram 发给小林。",
    steps: [{ one: ["message"], args: { channel: "telegram", to: "88" } }],
    world: { contacts: { 小林: { telegram: "88" } }, files: { "report.md": "本周：三项完成。\n" } },
    script: {
      calls: [["message", { to: "telegram:88", text: "报告", files: ["report.md"] }]],
      answer: "已发给小林。$ALL",
    },
    answerHas: ["小林"],
  },
  {
    ...{ id: "message-secret", lang: "en", kind: "message", now: BERLIN },
    say: "Tell Ben on Telegram that the door is open, but not the code that is in MEMORY.md.",
    steps: [{ one: ["message"], args: { channel: "telegram", to: "42", text: "/open/i" } }],
    world: { contacts: { Ben: { telegram: "42" } }, files: { "MEMORY.md": "Door code 5521.\n" } },
    messageLacks: ["5521"],
    answerHas: ["telegram|Ben"],
  },
  {
    ...{ id: "server-many-tools", lang: "en", kind: "mcp", now: BERLIN },
    say: "File an issue in the project WEB of our tracker: the login page is blank on phones.",
    steps: [{ one: ["tracker__create_issue"], args: { project: "WEB", title: "/login/i" } }],
    world: { mcp: { tracker: {} }, mcpTools: { tracker: TRACKER } },
    script: {
      calls: [
        ["find_tools", { query: "create an issue in the tracker" }],
        ["tracker__create_issue", { project: "WEB", title: "Login page is blank on phones" }],
      ],
    },
    forbid: ["tracker__delete_issue"],
    answerHas: ["WEB|issue"],
  },
  {
    ...{ id: "server-away", lang: "en", kind: "mcp", now: BERLIN },
    say: "What is on my calendar tomorrow?",
    steps: [{ optional: ["find_tools"] }],
    world: { mcpAway: "calendar" },
    script: { answer: "{{(The MCP server 'calendar\\d*' cannot be used now)}}" },
    answerHas: ["cannot|could not|n't|unavailable|unreachable|away|unable"],
  },
  {
    ...{ id: "server-events-zh", lang: "zh", kind: "mcp", now: SHANGHAI },
    say: "我周三有什么安排？",
    steps: [{ one: ["calendar__list_events"], args: { date: "2026-11-25" } }],
    world: { mcp: { calendar: { list_events: [{ title: "看牙", start: "10:00", end: "10:30" }] } } },
    forbid: ["calendar__create_event"],
    answerHas: ["看牙"],
  },
  {
    ...{ id: "picture-zh", lang: "zh", kind: "media", now: SHANGHAI },
    say: "photos/sign.png 上的牌子写了什么？",
    steps: [{ one: ["image", "read"], args: { path: "photos/sign.png" } }],
    world: { files: { "photos/sign.png": { image: "牌子上写着：前方施工，请绕行。" } } },
    answerHas: ["施工"],
  },
  {
    ...{ id: "picture-made", lang: "en", kind: "media", now: BERLIN },
    say: "Draw me a lighthouse at night as a watercolour.",
    steps: [{ one: ["image_generate"], args: { prompt: "/lighthouse/i" } }],
    answerHas: ["png|picture|image|lighthouse"],
  },
  {
    ...{ id: "recording", lang: "en", kind: "media", now: BERLIN },
    say: "What is said in inbox/call.mp3?",
    steps: [{ one: ["transcribe"], args: { path: "inbox/call.mp3" } }],
    world: { files: { "inbox/call.mp3": { recording: "The plumber comes on Friday at three." } } },
    answerHas: ["plumber", "Friday"],
  },
  {
    ...{ id: "read-aloud-zh", lang: "zh", kind: "media", now: SHANGHAI },
    say: "把“九点看牙医”读给我听。",
    steps: [{ one: ["tts"], args: { text: "/九点看牙医/" } }],
    answerHas: ["ogg|opus|mp3|语音|音频|读"],
  },
  {
    ...{ id: "self-status", lang: "en", kind: "self", now: BERLIN },
    say: "Which model are you, and how full is this conversation?",
    steps: [{ one: ["session_status"] }],
    answerHas: ["\\d ?%|\\d k?tokens|\\dk\\b"],
  },
  {
    ...{ id: "self-zone-zh", lang: "zh", kind: "self", now: SHANGHAI },
    say: "查一下你的配置：你用的是哪个时区？",
    steps: [{ one: ["gateway", "session_status"] }],
    script: { calls: [["gateway", { action: "config.get", path: "agents.defaults.userTimezone" }]] },
    answerHas: ["Asia/Shanghai|上海"],
  },
  {
    ...{ id: "self-plan", lang: "en", kind: "self", now: BERLIN },
    say: "Plan the move to the new flat in three steps and show me the plan as you go; write the steps into move.md.",
    steps: [{ one: ["update_plan"] }, { one: ["write"], args: { path: "move.md" } }],
    script: {
      calls: [
        [
          "update_plan",
          {
            plan: [
              { step: "Measure the rooms", status: "in_progress" },
              { step: "Ask for offers", status: "pending" },
              { step: "Book the van", status: "pending" },
            ],
          },
        ],
        ["write", { path: "move.md", content: "1. Measure the rooms\n2. Ask for offers\n3. Book the van\n" }],
      ],
    },
    filesAfter: { "move.md": "[\\s\\S]+" },
    answerHas: ["move"],
  },
];
