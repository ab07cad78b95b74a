CREATE TABLE `accepted_files` (
	`agent_id` text NOT NULL,
	`path` text NOT NULL,
	`etag` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `path`)
);
