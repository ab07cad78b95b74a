CREATE TABLE `browser_zones` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`zone` text NOT NULL,
	`told_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `browser_zones_by_time` ON `browser_zones` (`told_at`);