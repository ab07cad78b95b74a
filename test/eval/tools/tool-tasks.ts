/** What a person asks of the agent, and the first call that does it. */
export interface ToolTask {
  id: string;
  say: string;
  /** The tools that are right to begin with. */
  tools: readonly [string, ...string[]];
  /** Arguments of the first of them that do it. */
  args: object;
  /** Calls of the first of them as models get it wrong: by the names of other systems, with wrong types, without a field. */
  wrong: readonly WrongCall[];
}

export interface WrongCall {
  args: object;
  /** The lines that name the fields and the fixes, each from its beginning. */
  says: readonly string[];
}

export const TOOL_TASKS: readonly ToolTask[] = [
  {
    id: "search-news",
    say: "What is new in the Rust world this week?",
    tools: ["web_search"],
    args: { query: "Rust programming language news", freshness: "week" },
    wrong: [
      { args: { q: "Rust news" }, says: ["q: there is no such field. Call it query."] },
      {
        args: { query: "Rust news", freshness: "pw" },
        says: ['freshness: give one of day, week, month, year, not "pw".'],
      },
      { args: { query: "Rust news", count: "5" }, says: ["count: give the number 5, without quotes."] },
    ],
  },
  {
    id: "search-weather-zh",
    say: "明天上海会下雨吗？",
    tools: ["web_search"],
    args: { query: "上海 明天 天气", country: "CN", language: "zh" },
    wrong: [
      { args: { search_query: "上海 天气" }, says: ["search_query: there is no such field. Call it query."] },
      { args: { query: "上海 天气", language: "chinese" }, says: ["language: give two letters, such as de."] },
    ],
  },
  {
    id: "search-site",
    say: "Find the page about Durable Object alarms in Cloudflare's own documentation.",
    tools: ["web_search"],
    args: { query: "Durable Objects alarms", site: "developers.cloudflare.com", count: 3 },
    wrong: [
      {
        args: { query: "alarms", domains: ["developers.cloudflare.com"], max_results: 3 },
        says: ["domains: there is no such field. Call it site.", "max_results: there is no such field. Call it count."],
      },
    ],
  },
  {
    id: "fetch-page",
    say: "Summarize https://example.org/post/42 in three sentences.",
    tools: ["web_fetch"],
    args: { url: "https://example.org/post/42" },
    wrong: [
      { args: { uri: "https://example.org/post/42" }, says: ["uri: there is no such field. Call it url."] },
      { args: {}, says: ["url: it is missing. It is: The whole address, with https://."] },
    ],
  },
  {
    id: "fetch-page-zh",
    say: "帮我看看 https://example.org/zh/news 讲了什么，只看前 2000 字。",
    tools: ["web_fetch"],
    args: { url: "https://example.org/zh/news", maxChars: 2000 },
    wrong: [
      {
        args: { url: "https://example.org/zh/news", max_chars: 2000 },
        says: ["max_chars: there is no such field. Call it maxChars."],
      },
      {
        args: { url: "https://example.org/zh/news", maxChars: "2000" },
        says: ["maxChars: give the number 2000, without quotes."],
      },
    ],
  },
  {
    id: "fetch-raw",
    say: "Show me the HTML source of https://example.org/.",
    tools: ["web_fetch"],
    args: { url: "https://example.org/", raw: true },
    wrong: [
      {
        args: { url: "https://example.org/", raw: "true" },
        says: ["raw: give true or false, without quotes."],
      },
      { args: { url: "https://example.org/", extractMode: "html" }, says: ["extractMode: there is no such field."] },
    ],
  },
  {
    id: "open-app",
    say: "Open https://shop.example.org/app in the browser; it shows nothing without its scripts.",
    tools: ["browser"],
    args: { action: "open", url: "https://shop.example.org/app" },
    wrong: [
      { args: { action: "open" }, says: ["url: it is missing. It is: open: the whole address."] },
      {
        args: { action: "navigate", url: "https://shop.example.org/app" },
        says: ["action: give one of open, snapshot, click, type, press, back, screenshot, close"],
      },
      {
        args: { action: "open", uri: "https://shop.example.org/app" },
        says: ["uri: there is no such field. Call it url."],
      },
    ],
  },
  {
    id: "type-and-send-zh",
    say: "在页面的搜索框（e12）里输入“台灯”，然后按回车。",
    tools: ["browser"],
    args: { action: "type", ref: "e12", text: "台灯", submit: true },
    wrong: [
      { args: { action: "type", text: "台灯" }, says: ["ref: it is missing."] },
      { args: { action: "press", key: "Return" }, says: ["key: give one of Enter, Tab"] },
    ],
  },
  {
    id: "read-file",
    say: "What is in todo.md?",
    tools: ["read"],
    args: { path: "todo.md" },
    wrong: [
      { args: { file_path: "todo.md" }, says: ["file_path: there is no such field. Call it path."] },
      { args: { path: ["todo.md"] }, says: ["path: give a text, not a list."] },
    ],
  },
  {
    id: "read-lines",
    say: "Show lines 200 to 250 of log.txt.",
    tools: ["read"],
    args: { path: "log.txt", offset: 200, limit: 51 },
    wrong: [
      {
        args: { path: "log.txt", start_line: 200, limit: "51" },
        says: ["start_line: there is no such field. Call it offset.", "limit: give the number 51, without quotes."],
      },
    ],
  },
  {
    id: "read-docs",
    say: "How do I connect you to Telegram? Look it up in your own documentation.",
    tools: ["read", "grep", "ls"],
    args: { path: "docs://telegram" },
    wrong: [{ args: { uri: "docs://telegram" }, says: ["path: it is missing."] }],
  },
  {
    id: "write-file",
    say: "Make a new file packing.md with: socks, tent, stove.",
    tools: ["write"],
    args: { path: "packing.md", content: "- socks\n- tent\n- stove\n" },
    wrong: [
      {
        args: { filePath: "packing.md", file_text: "- socks" },
        says: [
          "filePath: there is no such field. Call it path.",
          "file_text: there is no such field. Call it content.",
        ],
      },
      { args: { path: "packing.md" }, says: ["content: it is missing. It is: The whole content of the file."] },
    ],
  },
  {
    id: "write-file-zh",
    say: "新建 旅行/京都.md，写上：清水寺、伏见稻荷、岚山。",
    tools: ["write"],
    args: { path: "旅行/京都.md", content: "- 清水寺\n- 伏见稻荷\n- 岚山\n" },
    wrong: [
      { args: { path: "旅行/京都.md", content: null }, says: ["content: it must not be null."] },
      {
        args: { path: "旅行/京都.md", contents: "清水寺" },
        says: ["contents: there is no such field. Call it content."],
      },
    ],
  },
  {
    id: "remember",
    say: "Remember that I am allergic to hazelnuts.",
    tools: ["edit", "write", "apply_patch", "read", "memory_search"],
    args: {
      path: "MEMORY.md",
      edits: [{ oldText: "## Facts\n", newText: "## Facts\n- Allergic to hazelnuts.\n" }],
    },
    wrong: [
      {
        args: { path: "MEMORY.md", old_string: "## Facts\n", new_string: "- Allergic" },
        says: [
          "old_string: there is no such field here. Put it into edits[], as oldText.",
          "new_string: there is no such field here. Put it into edits[], as newText.",
        ],
      },
      {
        args: { path: "MEMORY.md", edits: [{ old_text: "## Facts\n", newText: "- Allergic" }] },
        says: ["edits[0].old_text: there is no such field. Call it oldText."],
      },
    ],
  },
  {
    id: "edit-file",
    say: "In todo.md, change 'call dentist' to 'call dentist at 9'.",
    tools: ["edit", "read"],
    args: { path: "todo.md", edits: [{ oldText: "call dentist", newText: "call dentist at 9" }] },
    wrong: [
      {
        args: { path: "todo.md", edits: '[{"oldText":"call dentist","newText":"call dentist at 9"}]' },
        says: ["edits: give a list ([…]), not a single value or a text."],
      },
      {
        args: { path: "todo.md", edits: [{ oldText: "call dentist" }] },
        says: ["edits[0].newText: it is missing. It is: What comes in its place."],
      },
    ],
  },
  {
    id: "edit-rename-zh",
    say: "把 notes/会议.md 里的“周三”都改成“周四”，一共两处。",
    tools: ["edit", "read", "exec"],
    args: {
      path: "notes/会议.md",
      edits: [
        { oldText: "周三上午", newText: "周四上午" },
        { oldText: "周三下午", newText: "周四下午" },
      ],
    },
    wrong: [
      {
        args: { path: "notes/会议.md", edits: { oldText: "周三", newText: "周四" } },
        says: ["edits: give a list"],
      },
    ],
  },
  {
    id: "patch-files",
    say: "Apply this patch: *** Begin Patch\n*** Delete File: old.md\n*** End Patch",
    tools: ["apply_patch"],
    args: { input: "*** Begin Patch\n*** Delete File: old.md\n*** End Patch" },
    wrong: [
      {
        args: { patch: "*** Begin Patch\n*** Delete File: old.md\n*** End Patch" },
        says: ["patch: there is no such field. Call it input."],
      },
    ],
  },
  {
    id: "grep-word",
    say: "Which of my notes mention the landlord?",
    tools: ["grep", "memory_search"],
    args: { pattern: "landlord", glob: "*.md", ignoreCase: true },
    wrong: [
      {
        args: { query: "landlord", ignore_case: true },
        says: [
          "query: there is no such field. Call it pattern.",
          "ignore_case: there is no such field. Call it ignoreCase.",
        ],
      },
      { args: { pattern: "landlord", context: 50 }, says: ["context: Too big"] },
    ],
  },
  {
    id: "grep-exact-zh",
    say: "在 projects 文件夹里找出所有写着“待确认(*)”的行。",
    tools: ["grep"],
    args: { pattern: "待确认(*)", literal: true, path: "projects" },
    wrong: [
      { args: { pattern: "待确认", dir: "projects" }, says: ["dir: there is no such field. Call it path."] },
      { args: { pattern: "待确认", literal: "yes" }, says: ["literal: give true or false, without quotes."] },
    ],
  },
  {
    id: "find-files",
    say: "Which files do I have from January 2026?",
    tools: ["find", "ls"],
    args: { pattern: "**/2026-01-*.md" },
    wrong: [{ args: { glob: "**/2026-01-*.md" }, says: ["glob: there is no such field.", "pattern: it is missing."] }],
  },
  {
    id: "ls-folder",
    say: "What files are in the folder invoices?",
    tools: ["ls", "find"],
    args: { path: "invoices" },
    wrong: [{ args: { directory: "invoices" }, says: ["directory: there is no such field. Call it path."] }],
  },
  {
    id: "ls-root-zh",
    say: "工作区里有哪些文件？",
    tools: ["ls", "find"],
    args: {},
    wrong: [{ args: { path: null }, says: ["path: it must not be null."] }],
  },
  {
    id: "exec-sum",
    say: "Add up the second column of costs.csv.",
    tools: ["exec", "read"],
    args: { command: "awk -F, '{sum += $2} END {print sum}' costs.csv" },
    wrong: [
      {
        args: { cmd: "awk -F, '{s+=$2} END {print s}' costs.csv" },
        says: ["cmd: there is no such field. Call it command."],
      },
      {
        args: { command: ["awk", "-F,", "{s+=$2}", "costs.csv"] },
        says: ["command: give a text, not a list."],
      },
    ],
  },
  {
    id: "exec-background",
    say: "Start sync.sh in the background.",
    tools: ["exec"],
    args: { command: "bash sync.sh", background: true },
    wrong: [
      {
        args: { command: "bash sync.sh", background: "true" },
        says: ["background: give true or false, without quotes."],
      },
    ],
  },
  {
    id: "process-log",
    say: "What has the command in the background printed so far? It is process 2.",
    tools: ["process"],
    args: { action: "log", id: 2 },
    wrong: [
      {
        args: { action: "poll", sessionId: "2" },
        says: ['action: give one of list, log, kill, not "poll".', "sessionId: there is no such field. Call it id."],
      },
      {
        args: { action: "kill", id: "2" },
        says: ["id: give the number 2, without quotes."],
      },
    ],
  },
  {
    id: "exec-folder",
    say: "Run `ls -la | wc -l` in the folder projects, for at most ten seconds.",
    tools: ["exec"],
    args: { command: "ls -la | wc -l", workdir: "projects", timeout: 10 },
    wrong: [
      {
        args: { command: "ls -la | wc -l", cwd: "projects", timeout: "10s" },
        says: ["cwd: there is no such field. Call it workdir.", "timeout: give a number, without a unit."],
      },
      {
        args: { command: "ls", env: "A=1" },
        says: ["env: give an object ({…}), not a text."],
      },
    ],
  },
  {
    id: "exec-json-zh",
    say: "用 jq 数一下 orders.json 里有多少个订单。",
    tools: ["exec"],
    args: { command: "jq length orders.json" },
    wrong: [{ args: { script: "jq length orders.json" }, says: ["script: there is no such field. Call it command."] }],
  },
  {
    id: "remind-soon",
    say: "Remind me in two minutes to take the pizza out.",
    tools: ["cron"],
    args: {
      action: "add",
      name: "Pizza",
      schedule: { kind: "at", at: "2m" },
      payload: { kind: "systemEvent", text: "Remind them to take the pizza out." },
    },
    wrong: [
      {
        args: {
          action: "add",
          job: { schedule: { kind: "at", at: "2m" }, payload: { kind: "systemEvent", text: "Pizza" } },
        },
        says: ["job: there is no such field. Give what is in it directly"],
      },
      {
        args: { action: "create", schedule: { kind: "at", at: "2m" } },
        says: ['action: give one of list, add, update, remove, run, status, not "create".'],
      },
    ],
  },
  {
    id: "remind-weekdays",
    say: "Every weekday at half past eight, look at the news about trams and send me a digest.",
    tools: ["cron"],
    args: {
      action: "add",
      schedule: { kind: "cron", expr: "30 8 * * 1-5", tz: "Europe/Berlin" },
      payload: { kind: "agentTurn", message: "Look at the news about trams and send a digest." },
    },
    wrong: [
      {
        args: { action: "add", schedule: "30 8 * * 1-5", payload: { kind: "agentTurn", message: "Digest" } },
        says: ["schedule: give an object ({…}), not a text."],
      },
      {
        args: { action: "add", schedule: { kind: "cron", expr: "30 8 * * 1-5" }, payload: { message: "Digest" } },
        says: ["payload.kind: it is missing."],
      },
    ],
  },
  {
    id: "remind-hourly-zh",
    say: "每两个小时提醒我喝水。",
    tools: ["cron"],
    args: {
      action: "add",
      schedule: { kind: "every", everyMs: 7_200_000 },
      payload: { kind: "systemEvent", text: "提醒喝水" },
    },
    wrong: [
      {
        args: {
          action: "add",
          schedule: { kind: "every", every_ms: "7200000" },
          payload: { kind: "systemEvent", text: "提醒喝水" },
        },
        says: ["schedule.every_ms: there is no such field. Call it everyMs."],
      },
      {
        args: { action: "add", schedule: { kind: "every", everyMs: "2h" }, payload: { kind: "systemEvent" } },
        says: ["schedule.everyMs: give a number, without a unit."],
      },
    ],
  },
  {
    id: "remind-cancel",
    say: "Cancel the reminder job_2.",
    tools: ["cron"],
    args: { action: "remove", jobId: "job_2" },
    wrong: [
      { args: { action: "remove", id: "job_2" }, says: ["id: there is no such field. Call it jobId."] },
      { args: { action: "remove", jobId: 2 }, says: ["jobId: give a text, not a number."] },
    ],
  },
  {
    id: "remind-list",
    say: "Which reminders do I have?",
    tools: ["cron"],
    args: { action: "list" },
    wrong: [{ args: {}, says: ["action: it is missing."] }],
  },
  {
    id: "remind-pause-zh",
    say: "把 job_7 先暂停一下。",
    tools: ["cron"],
    args: { action: "update", jobId: "job_7", enabled: false },
    wrong: [
      {
        args: { action: "update", jobId: "job_7", enabled: "false" },
        says: ["enabled: give true or false, without quotes."],
      },
      {
        args: { action: "update", job_id: "job_7", enabled: false },
        says: ["job_id: there is no such field. Call it jobId."],
      },
    ],
  },
  {
    id: "message-other",
    say: "Tell telegram:42 that the meeting is at ten.",
    tools: ["message"],
    args: { action: "send", to: "telegram:42", text: "The meeting is at ten." },
    wrong: [
      {
        args: { action: "send", target: "telegram:42", message: "The meeting is at ten." },
        says: ["target: there is no such field. Call it to.", "message: there is no such field. Call it text."],
      },
      {
        args: { to: 42, text: "Ten." },
        says: ["to: it has no form that is allowed. It is: The conversation, as <channel>:"],
      },
    ],
  },
  {
    id: "message-react",
    say: "Put a thumbs-up on my message.",
    tools: ["message"],
    args: { action: "react", emoji: "👍" },
    wrong: [
      {
        args: { action: "react", emoji: "👍", message_id: "12" },
        says: ["message_id: there is no such field. Call it messageId."],
      },
    ],
  },
  {
    id: "message-buttons-zh",
    say: "给我发两个按钮：“好”和“不要”。",
    tools: ["message"],
    args: { text: "可以吗？", buttons: [[{ label: "好" }, { label: "不要" }]] },
    wrong: [
      { args: { text: "可以吗？", buttons: [{ label: "好" }] }, says: ["buttons[0]: give a list"] },
      {
        args: { text: "可以吗？", buttons: [[{ text: "好" }]] },
        says: ["buttons[0][0].label: it is missing."],
      },
    ],
  },
  {
    id: "send-file",
    say: "Send me report.pdf here, now.",
    tools: ["message"],
    args: { text: "The report.", files: ["report.pdf"] },
    wrong: [{ args: { text: "The report.", files: "report.pdf" }, says: ["files: give a list"] }],
  },
  {
    id: "config-read",
    say: "Which time zone are you set to? Look it up in your configuration.",
    tools: ["gateway", "session_status"],
    args: { action: "config.get", path: "agents.defaults.userTimezone" },
    wrong: [
      {
        args: { action: "config_get" },
        says: ["action: give one of config.get, config.schema.lookup, config.patch, config.apply, restart, update.run"],
      },
    ],
  },
  {
    id: "config-change",
    say: "Set your time zone to Europe/Lisbon; the configuration is at revision 3.",
    tools: ["gateway"],
    args: {
      action: "config.patch",
      raw: { agents: { defaults: { userTimezone: "Europe/Lisbon" } } },
      baseRevision: 3,
    },
    wrong: [
      {
        args: { action: "config.patch", patch: "{}", base_revision: 3 },
        says: [
          "patch: there is no such field. Call it raw.",
          "base_revision: there is no such field. Call it baseRevision.",
        ],
      },
      {
        args: { action: "config.patch", raw: {}, baseRevision: "3" },
        says: ["baseRevision: give the number 3, without quotes."],
      },
    ],
  },
  {
    id: "agents",
    say: "Which other agents can you give work to?",
    tools: ["agents_list"],
    args: {},
    wrong: [{ args: { query: "all" }, says: ["query: there is no such field.", "Its fields: none."] }],
  },
  {
    id: "sessions",
    say: "Which group chats were active in the last hour?",
    tools: ["sessions_list"],
    args: { kinds: ["group"], activeMinutes: 60 },
    wrong: [
      {
        args: { kinds: ["group"], active_minutes: 60 },
        says: ["active_minutes: there is no such field. Call it activeMinutes."],
      },
      { args: { kinds: "group" }, says: ["kinds: give a list"] },
      { args: { kinds: ["dm"] }, says: ["kinds[0]: give one of main, direct, group"] },
    ],
  },
  {
    id: "session-history",
    say: "What was said last in the session agent:main:telegram:group:-7? Ten messages are enough.",
    tools: ["sessions_history"],
    args: { sessionKey: "agent:main:telegram:group:-7", limit: 10 },
    wrong: [
      {
        args: { session_key: "agent:main:telegram:group:-7", limit: "10" },
        says: [
          "session_key: there is no such field. Call it sessionKey.",
          "limit: give the number 10, without quotes.",
        ],
      },
    ],
  },
  {
    id: "session-send",
    say: "Ask the session agent:main:main whether it has finished, and wait a minute for its answer.",
    tools: ["sessions_send"],
    args: { sessionKey: "agent:main:main", message: "Have you finished?", timeoutSeconds: 60 },
    wrong: [
      {
        args: { sessionKey: "agent:main:main", text: "Have you finished?" },
        says: ["text: there is no such field. Call it message."],
      },
      {
        args: { sessionKey: "agent:main:main", message: "Have you finished?", timeout: 60 },
        says: ["timeout: there is no such field. Call it timeoutSeconds."],
      },
    ],
  },
  {
    id: "delegate",
    say: "Let somebody else in the background compare the five offers in offers/ and tell me the cheapest.",
    tools: ["sessions_spawn"],
    args: { task: "Compare the five offers in offers/ and say which is the cheapest.", label: "offers" },
    wrong: [
      { args: { prompt: "Compare the offers." }, says: ["prompt: there is no such field. Call it task."] },
      { args: { task: "" }, says: ["task: say what is to be done."] },
      {
        args: { task: "Compare the offers.", thinking: "max" },
        says: ["thinking: give one of off, minimal, low, medium, high"],
      },
    ],
  },
  {
    id: "delegate-stop-zh",
    say: "把正在比较报价的子智能体停掉。",
    tools: ["subagents"],
    args: { action: "stop", target: "offers" },
    wrong: [
      { args: { action: "kill", target: "offers" }, says: ['action: give one of list, stop, steer, not "kill".'] },
      { args: { action: "stop", target: 1 }, says: ["target: give a text, not a number."] },
    ],
  },
  {
    id: "status",
    say: "Which model are you, and how full is this conversation?",
    tools: ["session_status"],
    args: {},
    wrong: [{ args: { session_key: "x" }, says: ["session_key: there is no such field. Call it sessionKey."] }],
  },
  {
    id: "switch-model",
    say: "From now on use the model openai/gpt-6.1-sol here.",
    tools: ["session_status"],
    args: { model: "openai/gpt-6.1-sol" },
    wrong: [{ args: { model: { provider: "openai" } }, says: ["model: give a text, not an object."] }],
  },
  {
    id: "recall",
    say: "What did we decide about the kitchen floor?",
    tools: ["memory_search"],
    args: { query: "kitchen floor decision" },
    wrong: [
      { args: { q: "kitchen floor" }, says: ["q: there is no such field. Call it query."] },
      {
        args: { query: "kitchen floor", max_results: 5, min_score: 0.2 },
        says: [
          "max_results: there is no such field. Call it maxResults.",
          "min_score: there is no such field. Call it minScore.",
        ],
      },
    ],
  },
  {
    id: "recall-zh",
    say: "我上次说想读哪本书来着？",
    tools: ["memory_search"],
    args: { query: "想读的书" },
    wrong: [{ args: { query: ["想读", "书"] }, says: ["query: give a text, not a list."] }],
  },
  {
    id: "recall-lines",
    say: "Show me lines 10 to 20 of memory/2026-01-31.md, as memory_search found them.",
    tools: ["memory_get", "read"],
    args: { path: "memory/2026-01-31.md", from: 10, lines: 11 },
    wrong: [
      {
        args: { path: "memory/2026-01-31.md", offset: 10, limit: 11 },
        says: ["offset: there is no such field. Call it from.", "limit: there is no such field. Call it lines."],
      },
    ],
  },
  {
    id: "plan",
    say: "Plan the move to the new flat in steps, and show me the plan as you work on it.",
    tools: ["update_plan"],
    args: {
      plan: [
        { step: "Measure the rooms", status: "in_progress" },
        { step: "Ask for offers", status: "pending" },
      ],
    },
    wrong: [
      {
        args: { steps: [{ step: "Measure", status: "pending" }] },
        says: ["steps: there is no such field. Call it plan."],
      },
      {
        args: { plan: [{ step: "Measure", status: "done" }] },
        says: ['plan[0].status: give one of pending, in_progress, completed, not "done".'],
      },
      { args: { plan: ["Measure"] }, says: ["plan[0]: give an object"] },
    ],
  },
  {
    id: "picture-question",
    say: "What does the sign in inbox/photo.jpg say?",
    tools: ["image"],
    args: { path: "inbox/photo.jpg", question: "What does the sign say?" },
    wrong: [
      {
        args: { image: "inbox/photo.jpg", prompt: "What does the sign say?" },
        says: ["image: there is no such field."],
      },
    ],
  },
  {
    id: "picture-made",
    say: "画一张灯塔的水彩画，竖版。",
    tools: ["image_generate"],
    args: { prompt: "A lighthouse as a watercolour", size: "1024x1536" },
    wrong: [
      {
        args: { prompt: "A lighthouse", n: "2" },
        says: ["n: give the number 2, without quotes."],
      },
    ],
  },
  {
    id: "recording",
    say: "Write down what is said in inbox/call.mp3.",
    tools: ["transcribe"],
    args: { path: "inbox/call.mp3" },
    wrong: [{ args: { file: "inbox/call.mp3" }, says: ["file: there is no such field. Call it path."] }],
  },
  {
    id: "read-aloud",
    say: "把今天的日程读给我听。",
    tools: ["tts"],
    args: { text: "九点看牙医，下午三点开会。" },
    wrong: [{ args: { content: "九点看牙医" }, says: ["content: there is no such field. Call it text."] }],
  },
];
