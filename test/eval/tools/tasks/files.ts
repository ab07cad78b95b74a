import type { WrittenTask } from "../task.ts";
import { BERLIN, SHANGHAI } from "./places.ts";

const COSTS = "2026-11-02,train,86.50\n2026-11-05,books,40\n2026-11-15,lunch,17.25\n";

/** Files, commands and notes. */
export const FILE_TASKS: readonly WrittenTask[] = [
  {
    ...{ id: "file-new", lang: "en", kind: "files", now: BERLIN },
    say: "Make a file packing.md with: socks, tent, stove.",
    steps: [{ one: ["write"], args: { path: "packing.md", content: "/socks.*tent.*stove/s" } }],
    script: { calls: [["write", { path: "packing.md", content: "- socks\n- tent\n- stove\n" }]] },
    filesAfter: { "packing.md": ["socks", "tent", "stove"] },
    answerHas: ["packing"],
  },
  {
    ...{ id: "file-new-zh", lang: "zh", kind: "files", now: SHANGHAI },
    say: "新建 旅行/京都.md，写上：清水寺、伏见稻荷、岚山。",
    steps: [{ one: ["write"], args: { path: "旅行/京都.md", content: "/清水寺/" } }],
    script: { calls: [["write", { path: "旅行/京都.md", content: "- 清水寺\n- 伏见稻荷\n- 岚山\n" }]] },
    filesAfter: { "旅行/京都.md": ["清水寺", "伏见稻荷", "岚山"] },
    answerHas: ["京都"],
  },
  {
    ...{ id: "file-edit", lang: "en", kind: "files", now: BERLIN },
    say: "In todo.md, change 'call dentist' to 'call dentist at 9'.",
    steps: [{ one: ["edit", "write", "apply_patch"], args: { path: "todo.md", content: "/call dentist at 9/" } }],
    world: { files: { "todo.md": "- call dentist\n- post the letter\n" } },
    script: {
      calls: [
        ["read", { path: "todo.md" }],
        ["edit", { path: "todo.md", edits: [{ oldText: "- call dentist\n", newText: "- call dentist at 9\n" }] }],
      ],
    },
    filesAfter: { "todo.md": ["call dentist at 9\\n", "post the letter"] },
    answerHas: ["todo\\.md|dentist"],
  },
  {
    ...{ id: "file-replace-zh", lang: "zh", kind: "files", now: SHANGHAI },
    say: "把 notes/会议.md 里的“周三”都改成“周四”。",
    steps: [{ one: ["edit", "write", "apply_patch", "exec"] }],
    world: { files: { "notes/会议.md": "周三上午：预算\n周三下午：招聘\n" } },
    script: { calls: [["exec", { command: "sed -i 's/周三/周四/g' notes/会议.md && cat notes/会议.md" }]] },
    filesAfter: { "notes/会议.md": ["周四上午", "周四下午"] },
    fileLacks: { "notes/会议.md": "周三" },
    answerHas: ["周四|两处|2 ?处|改"],
  },
  {
    ...{ id: "file-patch", lang: "en", kind: "files", now: BERLIN },
    say: "Apply this patch:\n*** Begin Patch\n*** Update File: menu.md\n@@\n-soup\n+stew\n*** Delete File: old.md\n*** End Patch",
    steps: [{ one: ["apply_patch"] }],
    world: { files: { "menu.md": "soup\nbread\n", "old.md": "old\n" } },
    script: {
      calls: [
        [
          "apply_patch",
          {
            input:
              "*** Begin Patch\n*** Update File: menu.md\n@@\n-soup\n+stew\n*** Delete File: old.md\n*** End Patch",
          },
        ],
      ],
    },
    filesAfter: { "menu.md": ["stew\\nbread"] },
    filesGone: ["old.md"],
    answerHas: ["menu|old|patch"],
  },
  {
    ...{ id: "file-which-mention", lang: "en", kind: "files", now: BERLIN },
    say: "Which files in notes/ mention the landlord?",
    steps: [{ one: ["grep", "exec", "memory_search"] }],
    world: {
      files: {
        "notes/flat.md": "The landlord is Mr. Voss.\n",
        "notes/food.md": "Leek soup.\n",
        "notes/keys.md": "Spare keys: landlord.\n",
      },
    },
    script: { calls: [["grep", { pattern: "landlord", path: "notes", ignoreCase: true }]] },
    answerHas: ["flat", "keys"],
    answerLacks: ["food"],
  },
  {
    ...{ id: "file-exact-zh", lang: "zh", kind: "files", now: SHANGHAI },
    say: "在 projects 里找出所有写着“待确认(*)”的行。",
    steps: [{ one: ["grep", "exec"] }],
    world: { files: { "projects/a.md": "交付日期：待确认(*)\n", "projects/b.md": "交付日期：周五\n" } },
    script: { calls: [["grep", { pattern: "待确认(*)", literal: true, path: "projects" }]] },
    answerHas: ["a\\.md|交付日期"],
    answerLacks: ["周五"],
  },
  {
    ...{ id: "file-by-date", lang: "en", kind: "files", now: BERLIN },
    say: "Which daily notes do I have from January 2026?",
    steps: [{ one: ["find", "ls", "exec"] }],
    world: { files: { "memory/2026-01-03.md": "a\n", "memory/2026-01-30.md": "b\n", "memory/2026-02-01.md": "c\n" } },
    script: { calls: [["find", { pattern: "**/2026-01-*.md" }]] },
    answerHas: ["2026-01-03|3 January|January 3", "2026-01-30|30 January|January 30"],
    answerLacks: ["2026-02-01"],
  },
  {
    ...{ id: "file-lines", lang: "en", kind: "files", now: BERLIN },
    say: "What stands on line 200 of log.txt?",
    steps: [{ one: ["read", "exec", "grep"] }],
    world: { files: { "log.txt": Array.from({ length: 300 }, (_, n) => `entry ${n + 1} kept`).join("\n") } },
    script: { calls: [["read", { path: "log.txt", offset: 200, limit: 1 }]] },
    answerHas: ["entry 200"],
  },
  {
    ...{ id: "file-absent", lang: "en", kind: "files", now: BERLIN },
    say: "What does insurance.md say about the deductible?",
    steps: [{ one: ["read", "memory_search", "grep", "find", "ls", "exec"] }],
    mayFail: ["read"],
    script: { calls: [["read", { path: "insurance.md" }]] },
    answerHas: ["not (?:there|found|exist)|no (?:such )?file|n't (?:there|exist|find)|cannot find|could not find"],
    answerLacks: ["€|\\$\\d"],
  },
  {
    ...{ id: "exec-sum", lang: "en", kind: "exec", now: BERLIN },
    say: "Add up the third column of costs.csv.",
    steps: [{ one: ["exec", "read"] }],
    world: { files: { "costs.csv": COSTS } },
    script: { calls: [["exec", { command: "awk -F, '{sum += $3} END {print sum}' costs.csv" }]] },
    answerHas: ["143[.,]75"],
  },
  {
    ...{ id: "exec-json-zh", lang: "zh", kind: "exec", now: SHANGHAI },
    say: "orders.json 里有几个还没付款的订单？",
    steps: [{ one: ["exec", "read", "grep"] }],
    world: { files: { "orders.json": '[{"id":1,"paid":true},{"id":2,"paid":false},{"id":3,"paid":false}]' } },
    script: {
      calls: [["exec", { command: "jq '[.[] | select(.paid | not)] | length' orders.json" }]],
      answer: "有 {{^(\\d+)}} 个。",
    },
    answerHas: ["\\b2\\b|两"],
  },
  {
    ...{ id: "exec-archive", lang: "en", kind: "exec", now: BERLIN },
    say: "Put the folder invoices into invoices.tar.gz and list what is in it.",
    steps: [{ one: ["exec"] }],
    world: { files: { "invoices/a.txt": "1\n", "invoices/b.txt": "2\n" } },
    script: { calls: [["exec", { command: "tar -czf invoices.tar.gz invoices && tar -tzf invoices.tar.gz" }]] },
    answerHas: ["a\\.txt", "b\\.txt"],
  },
  {
    ...{ id: "exec-absent-program", lang: "en", kind: "exec", now: BERLIN },
    say: "Run `git status` in the workspace.",
    steps: [{ one: ["exec"], args: { command: "/git status/" } }],
    mayFail: ["exec"],
    answerHas: ["not (?:found|available|installed|there)|no git|n't"],
  },
  {
    ...{ id: "note-keep-zh", lang: "zh", kind: "memory", now: SHANGHAI },
    say: "记住：我对花生过敏。",
    steps: [
      {
        one: ["write", "edit", "apply_patch"],
        args: { path: "/MEMORY\\.md|memory\\/.*\\.md|USER\\.md/", content: "/花生/" },
      },
    ],
    script: { calls: [["write", { path: "MEMORY.md", content: "- 对花生过敏。\n" }]], answer: "记住了。$ALL" },
    filesAfter: { "MEMORY.md": "花生" },
    answerHas: ["花生|记住|记下"],
  },
  {
    ...{ id: "note-forget", lang: "en", kind: "memory", now: BERLIN },
    say: "Forget the code of the shed; it is in MEMORY.md.",
    steps: [{ one: ["edit", "write", "apply_patch", "exec"] }],
    world: { files: { "MEMORY.md": "- Likes tea.\n- Shed code 7741.\n" } },
    script: {
      calls: [
        ["read", { path: "MEMORY.md" }],
        ["edit", { path: "MEMORY.md", edits: [{ oldText: "- Shed code 7741.\n", newText: "" }] }],
      ],
      answer: "It is forgotten.",
    },
    fileLacks: { "MEMORY.md": "7741" },
    fileKeeps: { "MEMORY.md": "Likes tea" },
    answerLacks: ["7741"],
  },
  {
    ...{ id: "note-recall", lang: "en", kind: "memory", now: BERLIN },
    say: "Which colour did we choose for the kitchen floor?",
    steps: [{ one: ["memory_search"], args: { query: "/kitchen|floor/i" } }],
    world: {
      memory: [
        { path: "memory/2026-10-02.md", line: 3, text: "Kitchen: looked at floor samples in grey and green." },
        { path: "memory/2026-10-19.md", line: 5, text: "Decision: the kitchen floor will be slate green." },
      ],
    },
    answerHas: ["green"],
  },
  {
    ...{ id: "note-recall-zh", lang: "zh", kind: "memory", now: SHANGHAI },
    say: "王姐的生日是哪天来着？",
    steps: [{ one: ["memory_search"], args: { query: "/王姐|生日/" } }],
    world: { memory: [{ path: "memory/2026-09-08.md", line: 2, text: "王姐说她生日是十二月六号。" }] },
    answerHas: ["十二月六|12 ?月 ?6"],
  },
];
