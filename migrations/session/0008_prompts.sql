CREATE TABLE `prompts` (
	`hash` text PRIMARY KEY NOT NULL,
	`text` text,
	`spill` text,
	`outline` text NOT NULL,
	`created_at` integer NOT NULL
);
