CREATE TABLE `processes` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`open` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `processes_open` ON `processes` (`open`) WHERE "processes"."open" = 1;