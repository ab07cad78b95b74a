-- A draft was marked by a prefix of its text: NUL, "draft", line feed. As a blob, because SQLite's text functions stop at NUL.
ALTER TABLE `outbox` ADD `draft` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `outbox` SET `draft` = 1, `text` = CAST(substr(CAST(`text` AS BLOB), 8) AS TEXT)
WHERE substr(CAST(`text` AS BLOB), 1, 7) = x'0064726166740a';
