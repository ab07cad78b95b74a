import type { Script } from "../task.ts";

/** What the scripted model does in those of the shared tasks whose steps do not say it, by their ids. */
export const SHARED_SCRIPTS: Readonly<Record<string, Partial<Script>>> = {
  "search-weather-zh": { answer: "明天有雨，带上伞。$ALL" },
  remember: {
    calls: [["write", { path: "MEMORY.md", content: "- Wife: allergic to hazelnuts.\n" }]],
    answer: "Noted, no hazelnuts for your wife. $ALL",
  },
  "recall-zh": { calls: [["memory_search", { query: "想读的书" }]] },
  "file-list": {
    calls: [
      ["read", { path: "todo.md" }],
      [
        "edit",
        {
          path: "todo.md",
          edits: [
            { oldText: "- [x] passport\n", newText: "- [x] passport\n- [ ] buy bread\n- [ ] call the plumber\n" },
          ],
        },
      ],
      ["exec", { command: "grep -c '' todo.md" }],
    ],
    answer: "There are {{(?:^|\\n)(\\d+)\\s*$}} now.",
  },
  "file-sum-zh": {
    calls: [
      ["ls", { path: "expenses" }],
      ["exec", { command: "awk -F, '{sum += $3} END {print sum}' expenses/2026-11-*.csv" }],
    ],
  },
  "message-other": { answer: "Ben has the message. $ALL" },
  "message-unknown": { answer: "I do not know how to reach Priya. Where can I write to her?" },
};
