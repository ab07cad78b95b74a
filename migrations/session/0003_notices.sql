CREATE TABLE `notices` (
	`run_id` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer
);
