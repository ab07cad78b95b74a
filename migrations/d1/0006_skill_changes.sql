CREATE TABLE `skill_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
