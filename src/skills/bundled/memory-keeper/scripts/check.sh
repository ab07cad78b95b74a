#!/bin/bash
# check.sh [FILE]: what is wrong with MEMORY.md, by line, without repeating what looks like a secret. Exit code 1 where anything is.
file=${1:-MEMORY.md}
if [ ! -f "$file" ]; then
  echo "$file is not there yet."
  exit 0
fi
faults=$(
  awk 'length($0) > 400 { print NR ": longer than 400 characters; say it shorter" }
    { line = tolower($0); gsub(/[ \t]+/, " ", line); if (length(line) > 12 && line in seen) print NR ": the same as line " seen[line]; else seen[line] = NR }' "$file"
  grep -nE -- '[-]{5}BEGIN|(sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[a-z]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}|xox[a-z]-[A-Za-z0-9-]{10,}|[Pp]assword *(is|:|=)|密码 *(是|:|：)|[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}' "$file" \
    | cut -d: -f1 | sed 's/$/: looks like a secret; say where it is kept instead/'
)
size=$(wc -m < "$file" | tr -d ' ')
if [ "$size" -gt 8000 ]; then faults=$(printf '%s\n%s' "$faults" "all: $size characters; below 8,000 is better"); fi
if [ -n "$faults" ]; then
  echo "$faults" | grep -v '^$' | sort -n
  exit 1
fi
echo "$file is in order: $size characters."
