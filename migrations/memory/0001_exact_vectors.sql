CREATE TABLE `__vectors` (
	`space_id` integer NOT NULL,
	`chunk_id` integer NOT NULL,
	PRIMARY KEY(`space_id`, `chunk_id`)
);
--> statement-breakpoint
INSERT INTO `__vectors` (`space_id`, `chunk_id`) SELECT `space_id`, `chunk_id` FROM `vectors` WHERE `embedding` = '';--> statement-breakpoint
DROP TABLE `vectors`;--> statement-breakpoint
ALTER TABLE `__vectors` RENAME TO `vectors`;--> statement-breakpoint
DROP TABLE `packs`;--> statement-breakpoint
CREATE TABLE `packs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`space_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`count` integer NOT NULL,
	`ids` text NOT NULL,
	`vectors` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `packs_by_space` ON `packs` (`space_id`);--> statement-breakpoint
DELETE FROM `spaces` WHERE `store` = 'd1';
