#!/bin/bash
# new.sh [COUNT]: entries of the feeds in feeds/list.txt that it has not shown before, at most COUNT a feed. Run from the workspace.
count=${1:-20}
here=$(dirname "$0")
seen=feeds/seen.txt
if ! grep -Eq '^https?://' feeds/list.txt 2> /dev/null; then
  echo 'feeds/list.txt names no feeds yet.' >&2
  exit 1
fi
if [ ! -s "$seen" ]; then echo '# What new.sh has shown: feed and entry.' > "$seen"; fi
failed=""
fresh=0
for url in $(grep -oE '^https?://[^[:space:]]+' feeds/list.txt); do
  name=$(grep -F "$url" feeds/list.txt | head -n 1 | cut -d ' ' -f 2-)
  most=$count
  if [ "$count" -gt 5 ] && ! grep -qF "$url	" "$seen"; then most=5; fi
  if ! bash "$here/feed.sh" "$url" 50 > /tmp/new.entries 2> /tmp/new.error; then
    failed="$failed
${name:-$url}: $(head -n 1 /tmp/new.error)"
    continue
  fi
  awk -F '\t' -v url="$url" 'NR == FNR { seen[$0] = 1; next } !((url "\t" $3) in seen)' "$seen" /tmp/new.entries > /tmp/new.fresh
  if [ ! -s /tmp/new.fresh ]; then continue; fi
  awk -F '\t' -v url="$url" '{ print url "\t" $3 }' /tmp/new.fresh >> "$seen"
  fresh=1
  echo "== ${name:-$url}"
  head -n "$most" /tmp/new.fresh | awk -F '\t' '{ print $1 "  " $2 "  " $3 }'
done
tail -n 3000 "$seen" > /tmp/new.seen && cp /tmp/new.seen "$seen"
if [ "$fresh" = 0 ]; then echo 'Nothing new.'; fi
if [ -n "$failed" ]; then
  echo "These could not be read:$failed" >&2
  exit 1
fi
