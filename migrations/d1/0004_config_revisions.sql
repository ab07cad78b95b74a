CREATE TABLE `config_revisions` (
	`revision` integer PRIMARY KEY NOT NULL,
	`document` text NOT NULL,
	`author` text NOT NULL,
	`note` text,
	`changed` text NOT NULL,
	`created_at` integer NOT NULL
);
