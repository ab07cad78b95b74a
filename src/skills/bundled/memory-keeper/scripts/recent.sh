#!/bin/bash
# recent.sh [DAYS]: the notes of the newest DAYS days that have any, the oldest first, cut at 30,000 bytes.
days=${1:-7}
if [ ! -d memory ]; then
  echo 'There are no notes yet.'
  exit 0
fi
newest=$(ls -1 memory | grep -E '^[0-9]{4}-[0-9]{2}-[0-9]{2}.*\.md$' | cut -c 1-10 | sort -ru | head -n "$days" | sort)
for day in $newest; do
  for note in memory/"$day"*.md; do
    echo "=== $note"
    cat "$note"
    echo
  done
done | head -c 30000
