-- Tables, columns and stored fields take the names that the code has for them. What is stored stays.
ALTER TABLE `runs` RENAME COLUMN `talk` TO `merge_key`;--> statement-breakpoint
ALTER TABLE `session` RENAME COLUMN `said_at` TO `active_at`;--> statement-breakpoint
ALTER TABLE `outbox` RENAME COLUMN `said` TO `source`;--> statement-breakpoint
ALTER TABLE `children` RENAME TO `subagents`;--> statement-breakpoint
DROP INDEX `children_open`;--> statement-breakpoint
CREATE INDEX `subagents_open` ON `subagents` (`open`) WHERE "subagents"."open" = 1;--> statement-breakpoint
ALTER TABLE `notices` RENAME TO `announcements`;--> statement-breakpoint
ALTER TABLE `skill_look` RENAME TO `skill_scan`;--> statement-breakpoint
ALTER TABLE `audit_news` RENAME TO `audit_pending`;--> statement-breakpoint
UPDATE `runs` SET `state` = json_remove(
  json_set(`state`, '$.queueClass', replace(json_extract(`state`, '$.manner'), 'news', 'announcement')), '$.manner')
WHERE `open` = 1 AND CASE WHEN json_valid(`state`) THEN json_extract(`state`, '$.manner') IS NOT NULL END;--> statement-breakpoint
UPDATE `subagents` SET `body` = json_remove(json_set(`body`,
  '$.modelOverride', json_extract(`body`, '$.voice'),
  '$.announceTo', json_remove(json_set(json_extract(`body`, '$.telling'),
    '$.modelOverride', json(CASE json_type(`body`, '$.telling.voice') WHEN 'object' THEN json_extract(`body`, '$.telling.voice') ELSE '{}' END)), '$.voice')), '$.voice', '$.telling')
WHERE CASE WHEN json_valid(`body`) THEN
  json_type(`body`, '$.telling') = 'object' AND json_type(`body`, '$.voice') = 'object' END;
