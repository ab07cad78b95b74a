ALTER TABLE `schedule_entries` ADD `runs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `schedule_entries` ADD `cost_micros` integer DEFAULT 0 NOT NULL;