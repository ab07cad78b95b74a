CREATE TABLE `events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`delivery_id` text NOT NULL,
	`run_id` text NOT NULL,
	`target` text NOT NULL,
	`text` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `outbox_open` ON `outbox` (`id`) WHERE "outbox"."status" IN ('pending', 'sending');--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`idempotency_key` text,
	`open` integer NOT NULL,
	`state` text NOT NULL,
	`input` text,
	`target` text,
	`talk` text NOT NULL,
	`accepted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_idempotency_key_unique` ON `runs` (`idempotency_key`);--> statement-breakpoint
CREATE INDEX `runs_open` ON `runs` (`id`) WHERE "runs"."open" = 1;--> statement-breakpoint
CREATE TABLE `session` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`agent_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`epoch` integer NOT NULL,
	`reserved_seq` integer NOT NULL,
	`context_seq` integer NOT NULL,
	`settings` text NOT NULL
);
