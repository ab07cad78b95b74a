ALTER TABLE `boots` ADD `done_at` integer;--> statement-breakpoint
CREATE INDEX `audit_by_kind` ON `audit` (`agent_id`,`kind`,`at`);