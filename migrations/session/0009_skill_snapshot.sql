CREATE TABLE `skill_look` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `skill_parts` (
	`part` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);
