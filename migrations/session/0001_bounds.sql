DROP INDEX `runs_open`;--> statement-breakpoint
ALTER TABLE `runs` ADD `first_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `runs_unfinished` ON `runs` (`open`) WHERE "runs"."open" = 1;--> statement-breakpoint
ALTER TABLE `session` ADD `deleting` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `oldest_cursor` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `tidied_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_by_run` ON `outbox` (`run_id`);