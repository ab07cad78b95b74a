#!/bin/bash
# note.sh TEXT: adds a line to the note of the day in $TZ. Run from the workspace.
text=$(echo "$*" | tr '\n' ' ' | sed 's/ *$//')
if [ -z "$text" ]; then
  echo 'Usage: note.sh TEXT' >&2
  exit 2
fi
if echo "$text" | grep -Eq -- '[-]{5}BEGIN|(sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[a-z]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}|xox[a-z]-[A-Za-z0-9-]{10,}'; then
  echo 'This looks like a secret. Note where it is kept instead.' >&2
  exit 1
fi
note="memory/$(date +%F).md"
mkdir -p memory
if [ ! -s "$note" ]; then printf '# %s\n\n' "$(date +%F)" > "$note"; fi
if [ -n "$(tail -c 1 "$note")" ]; then echo >> "$note"; fi
echo "- $(date +%H:%M) $text" >> "$note"
echo "$note: $(tail -n 1 "$note")"
