CREATE TABLE `activations` (
	`session_key` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`agent_id` text NOT NULL,
	`session_key` text NOT NULL,
	`run_id` text,
	`by` text NOT NULL,
	`subject` text NOT NULL,
	`bytes_before` integer,
	`bytes_after` integer,
	`hash` text,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `audit_by_agent` ON `audit` (`agent_id`,`at`);--> statement-breakpoint
CREATE TABLE `boots` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `cooldowns` (
	`profile` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`kind` text NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `runs` ADD `cost_micros` integer;