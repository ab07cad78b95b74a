CREATE TABLE `mcp_sign_in_attempts` (
	`server` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`state` text NOT NULL,
	`login` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mcp_sign_ins` (
	`server` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`sealed` text,
	`lost` text,
	`version` integer NOT NULL,
	`renewing_until` integer NOT NULL
);
