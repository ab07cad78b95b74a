CREATE TABLE `moved_sessions` (
	`object` text PRIMARY KEY NOT NULL,
	`moved_to` text NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `moved_sessions_by_revision` ON `moved_sessions` (`revision`);--> statement-breakpoint
CREATE INDEX `moved_sessions_by_target` ON `moved_sessions` (`moved_to`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `location` text;