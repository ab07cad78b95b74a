CREATE TABLE `changes` (
	`agent_id` text NOT NULL,
	`path` text NOT NULL,
	`token` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `path`)
);
--> statement-breakpoint
CREATE TABLE `chunks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`file_id` integer NOT NULL,
	`start_line` integer NOT NULL,
	`end_line` integer NOT NULL,
	`hash` text NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `chunks_by_file` ON `chunks` (`file_id`);--> statement-breakpoint
CREATE TABLE `embedding_cache` (
	`space` text NOT NULL,
	`hash` text NOT NULL,
	`embedding` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`hash`, `space`)
);
--> statement-breakpoint
CREATE INDEX `embedding_cache_by_use` ON `embedding_cache` (`used_at`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`memory_id` integer NOT NULL,
	`path` text NOT NULL,
	`source` text NOT NULL,
	`etag` text NOT NULL,
	`size` integer NOT NULL,
	`modified_at` integer NOT NULL,
	`state` text NOT NULL,
	`chunks` integer NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`generation` integer NOT NULL,
	`warning` text,
	`indexed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `files_live` ON `files` (`memory_id`,`path`) WHERE state = 'live';--> statement-breakpoint
CREATE INDEX `files_by_state` ON `files` (`memory_id`,`state`);--> statement-breakpoint
CREATE INDEX `files_warned` ON `files` (`memory_id`) WHERE state = 'live' AND warning IS NOT NULL;--> statement-breakpoint
CREATE TABLE `gone` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`memory_id` integer NOT NULL,
	`chunk_ids` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `gone_by_memory` ON `gone` (`memory_id`);--> statement-breakpoint
CREATE TABLE `meta` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` text NOT NULL,
	`settings` text,
	`generation` integer DEFAULT 1 NOT NULL,
	`files` integer DEFAULT 0 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`compared_at` integer,
	`leased_until` integer,
	`failure` text,
	`failed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `meta_agent_id_unique` ON `meta` (`agent_id`);--> statement-breakpoint
CREATE TABLE `packs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`space_id` integer NOT NULL,
	`count` integer NOT NULL,
	`gone` text DEFAULT '[]' NOT NULL,
	`ids` text NOT NULL,
	`codes` text NOT NULL,
	`vectors` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `packs_by_space` ON `packs` (`space_id`);--> statement-breakpoint
CREATE TABLE `spaces` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`memory_id` integer NOT NULL,
	`key` text NOT NULL,
	`dimensions` integer NOT NULL,
	`store` text NOT NULL,
	`state` text NOT NULL,
	`filled_through` integer DEFAULT 0 NOT NULL,
	`failure` text,
	`failed_at` integer,
	`failing_since` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `spaces_by_memory` ON `spaces` (`memory_id`,`state`);--> statement-breakpoint
CREATE TABLE `vectors` (
	`space_id` integer NOT NULL,
	`chunk_id` integer NOT NULL,
	`pack_id` integer,
	`embedding` text NOT NULL,
	PRIMARY KEY(`space_id`, `chunk_id`)
);
--> statement-breakpoint
CREATE INDEX `vectors_unpacked` ON `vectors` (`space_id`,`chunk_id`) WHERE pack_id is null and embedding <> '';--> statement-breakpoint
CREATE VIRTUAL TABLE `chunk_terms` USING fts5(terms, place, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0");
--> statement-breakpoint
CREATE VIRTUAL TABLE `chunk_vocab` USING fts5vocab(chunk_terms, 'row');
