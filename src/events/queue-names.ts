/** The queues by their exact names in wrangler.toml; a test compares the two. */
export const QUEUES = {
  schedule: "isopod-schedule",
  upkeep: "isopod-upkeep",
  memory: "isopod-memory",
  /** What no consumer could handle. */
  dead: "isopod-dead",
} as const;
