CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `job_runs` (
	`entry_id` text NOT NULL,
	`slot_at` integer NOT NULL,
	`at` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`run_id` text,
	`session_key` text,
	`ended_at` integer,
	`cost_micros` integer,
	PRIMARY KEY(`entry_id`, `slot_at`)
);
--> statement-breakpoint
CREATE INDEX `job_runs_by_run` ON `job_runs` (`run_id`);--> statement-breakpoint
CREATE TABLE `schedule_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`agent_id` text NOT NULL,
	`job` text,
	`due_at` integer,
	`ready_at` integer,
	`is_off` integer DEFAULT false NOT NULL,
	`empty_etag` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_slot_at` integer,
	`last_status` text,
	`last_reason` text,
	`last_run_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `schedule_by_time` ON `schedule_entries` (`ready_at`) WHERE ready_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `schedule_by_agent` ON `schedule_entries` (`agent_id`,`kind`);--> statement-breakpoint
CREATE TABLE `schedule_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`made_from` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `wake_texts` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`text` text NOT NULL,
	`at` integer NOT NULL,
	`slot_at` integer
);
--> statement-breakpoint
CREATE INDEX `wake_texts_by_agent` ON `wake_texts` (`agent_id`,`at`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `route` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `routed_at` integer;--> statement-breakpoint
CREATE INDEX `sessions_by_route` ON `sessions` (`agent_id`,`routed_at`) WHERE routed_at IS NOT NULL;