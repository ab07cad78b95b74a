CREATE TABLE `memory_pages` (
	`from_seq` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`kept_seq` integer NOT NULL,
	`conversation` text NOT NULL,
	`page` integer NOT NULL,
	`lines` integer NOT NULL,
	`size` integer NOT NULL,
	`weight` integer NOT NULL,
	`said_at` integer NOT NULL,
	`untold` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `memory_pages_untold` ON `memory_pages` (`untold`) WHERE "memory_pages"."untold" = 1;