CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_by_digest` ON `tokens` (`digest`);--> statement-breakpoint
ALTER TABLE `logins` ADD `scope` text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
ALTER TABLE `logins` ADD `token_id` text;