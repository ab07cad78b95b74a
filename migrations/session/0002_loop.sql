CREATE TABLE `audit_news` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `children` (
	`key` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`open` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `children_open` ON `children` (`open`) WHERE "children"."open" = 1;--> statement-breakpoint
CREATE TABLE `compactions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`kept_seq` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `session` ADD `pruned_seq` integer DEFAULT 0 NOT NULL;