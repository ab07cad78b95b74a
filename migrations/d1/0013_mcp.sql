CREATE TABLE `mcp_servers` (
	`name` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`listing` text,
	`listed_at` integer,
	`failure` text,
	`asked_at` integer NOT NULL,
	`accepted` text
);
