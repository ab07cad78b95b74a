ALTER TABLE `session` ADD `view_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `flushed_seq` integer DEFAULT 0 NOT NULL;