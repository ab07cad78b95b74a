CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`session_key` text NOT NULL,
	`agent_id` text NOT NULL,
	`tool` text NOT NULL,
	`question` text NOT NULL,
	`requested_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `approvals_by_run` ON `approvals` (`run_id`);--> statement-breakpoint
CREATE TABLE `logins` (
	`digest` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pairings` (
	`id` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`account_id` text NOT NULL,
	`code` text NOT NULL,
	`sender_name` text,
	`requested_at` integer NOT NULL,
	`approved_at` integer,
	`owner` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pairings_by_code` ON `pairings` (`code`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`session_key` text NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`model` text,
	`error_code` text,
	`accepted_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `runs_by_session` ON `runs` (`session_key`,`accepted_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`key` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_run_id` text NOT NULL,
	`last_status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`agent_id`,`updated_at`);