ALTER TABLE `outbox` ADD `asked_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `told` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_lost` ON `outbox` (`id`) WHERE "outbox"."status" IN ('failed', 'unsure');--> statement-breakpoint
UPDATE `outbox` SET `asked_at` = `due_at` WHERE `status` IN ('pending', 'sending');--> statement-breakpoint
UPDATE `outbox` SET `told` = 1 WHERE `status` IN ('failed', 'unsure');
