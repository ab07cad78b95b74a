CREATE TABLE `announcements` (
	`run_id` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer
);

CREATE TABLE `audit_pending` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `compactions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`kept_seq` integer NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `memory_pages` (
	`from_seq` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`kept_seq` integer NOT NULL,
	`conversation` text NOT NULL,
	`page` integer NOT NULL,
	`lines` integer NOT NULL,
	`size` integer NOT NULL,
	`weight` integer NOT NULL,
	`said_at` integer NOT NULL,
	`untold` integer NOT NULL
);

CREATE INDEX `memory_pages_untold` ON `memory_pages` (`untold`) WHERE "memory_pages"."untold" = 1;
CREATE TABLE `messages` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`delivery_id` text NOT NULL,
	`run_id` text NOT NULL,
	`target` text NOT NULL,
	`text` text NOT NULL,
	`draft` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	`detail` text,
	`source` text,
	`asked_at` integer DEFAULT 0 NOT NULL,
	`told` integer DEFAULT false NOT NULL
);

CREATE INDEX `outbox_open` ON `outbox` (`id`) WHERE "outbox"."status" IN ('pending', 'sending');
CREATE INDEX `outbox_by_run` ON `outbox` (`run_id`);
CREATE INDEX `outbox_lost` ON `outbox` (`id`) WHERE "outbox"."status" IN ('failed', 'unsure');
CREATE TABLE `processes` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`open` integer NOT NULL,
	`body` text NOT NULL
);

CREATE INDEX `processes_open` ON `processes` (`open`) WHERE "processes"."open" = 1;
CREATE TABLE `prompts` (
	`hash` text PRIMARY KEY NOT NULL,
	`text` text,
	`spill` text,
	`outline` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`idempotency_key` text,
	`input_digest` text,
	`open` integer NOT NULL,
	`state` text NOT NULL,
	`input` text,
	`target` text,
	`merge_key` text NOT NULL,
	`accepted_at` integer NOT NULL,
	`first_seq` integer DEFAULT 0 NOT NULL
);

CREATE UNIQUE INDEX `runs_idempotency_key_unique` ON `runs` (`idempotency_key`);
CREATE INDEX `runs_unfinished` ON `runs` (`open`) WHERE "runs"."open" = 1;
CREATE TABLE `session` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`agent_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`epoch` integer NOT NULL,
	`reserved_seq` integer NOT NULL,
	`context_seq` integer NOT NULL,
	`settings` text NOT NULL,
	`deleting` integer DEFAULT false NOT NULL,
	`oldest_cursor` integer DEFAULT 0 NOT NULL,
	`tidied_at` integer DEFAULT 0 NOT NULL,
	`active_at` integer DEFAULT 0 NOT NULL,
	`pruned_seq` integer DEFAULT 0 NOT NULL,
	`view_seq` integer DEFAULT 0 NOT NULL,
	`flushed_seq` integer DEFAULT 0 NOT NULL,
	`location` text DEFAULT 'caller' NOT NULL
);

CREATE TABLE `skill_parts` (
	`part` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `skill_scan` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);

CREATE TABLE `subagents` (
	`key` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`open` integer NOT NULL,
	`body` text NOT NULL
);

CREATE INDEX `subagents_open` ON `subagents` (`open`) WHERE "subagents"."open" = 1;
