#!/bin/bash
# new.sh [COUNT]: entries of the feeds in feeds/list.txt that it has not shown before, at most COUNT a feed. Run from the workspace.
count=${1:-20}
here=$(dirname "$0")
if ! grep -Eq '^https?://' feeds/list.txt 2> /dev/null; then
  echo 'feeds/list.txt names no feeds yet.' >&2
  exit 1
fi
touch feeds/seen.txt
failed=""
fresh=0
while read -r url name; do
  case "$url" in http://* | https://*) ;; *) continue ;; esac
  most=$count
  if ! grep -qF "$url	" feeds/seen.txt && [ "$count" -gt 5 ]; then most=5; fi
  if ! bash "$here/feed.sh" "$url" 50 > /tmp/new.entries 2> /tmp/new.error; then
    failed="$failed\n${name:-$url}: $(head -n 1 /tmp/new.error)"
    continue
  fi
  shown=0
  while IFS=$'\t' read -r day title link; do
    if grep -qxF "$url	$link" feeds/seen.txt; then continue; fi
    echo "$url	$link" >> feeds/seen.txt
    if [ "$shown" -ge "$most" ]; then continue; fi
    if [ "$shown" = 0 ]; then echo "== ${name:-$url}"; fi
    shown=$((shown + 1))
    fresh=$((fresh + 1))
    echo "$day  $title  $link"
  done < /tmp/new.entries
done < feeds/list.txt
tail -n 3000 feeds/seen.txt > /tmp/new.seen && cp /tmp/new.seen feeds/seen.txt
if [ "$fresh" = 0 ]; then echo 'Nothing new.'; fi
if [ -n "$failed" ]; then
  printf 'These could not be read:%b\n' "$failed" >&2
  exit 1
fi
