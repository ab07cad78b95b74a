#!/bin/bash
# check.sh FOLDER: what is wrong (✗) and what is doubtful (?) with a skill. Exit code 1 where anything is wrong.
folder=${1%/}
file="$folder/SKILL.md"
wrong=0
bad() { echo "✗ $*"; wrong=1; }
doubt() { echo "? $*"; }

if [ ! -f "$file" ]; then
  bad "$file is not there."
  exit 1
fi
text=$(tr -d '\r' < "$file")
if [ "$(echo "$text" | head -n 1)" != "---" ]; then bad "The first line is not ---: there is no front matter."; fi
front=$(echo "$text" | awk '/^---[ \t]*$/ { n++; next } n == 1 { print } n > 1 { exit }')
body=$(echo "$text" | awk 'n > 1 { print } /^---[ \t]*$/ { n++ }')
field() { echo "$front" | grep -E "^$1:" | head -n 1 | sed "s/^$1: *//; s/^[\"']//; s/[\"'] *\$//"; }

name=$(field name)
description=$(field description)
if ! echo "$name" | grep -Eq '^[a-z0-9]+(-[a-z0-9]+)*$' || [ "${#name}" -gt 64 ]; then bad "The name \"$name\" is not made of small letters, digits and single hyphens."; fi
if [ "$name" != "${folder##*/}" ]; then doubt "The folder is called ${folder##*/}, the skill $name."; fi
if [ -z "$description" ]; then bad "There is no description on one line."; fi
if [ "${#description}" -gt 1024 ]; then bad "The description is longer than 1,024 characters."; elif [ "${#description}" -gt 250 ]; then doubt "The description has ${#description} characters; it is paid for in every prompt."; fi
if [ -n "$description" ] && ! echo "$description" | grep -Eiq 'use (for|when|if|to)|用于|适用|当'; then doubt "The description does not say when to use it (Use for …)."; fi
if echo "$front" | grep -E '^description: +[^"|> ]' | grep -vE "^description: *'" | grep -q ': .*: '; then doubt "Quote the description: it holds a colon."; fi

lines=$(echo "$body" | wc -l | tr -d ' ')
if [ -z "$(echo "$body" | tr -d ' \n\t')" ]; then bad "There is no text below the front matter."; fi
if [ "$lines" -gt 200 ]; then doubt "$lines lines: move what is seldom needed to references/."; fi
if [ "$(wc -c < "$file" | tr -d ' ')" -gt 256000 ]; then bad "SKILL.md is larger than 256,000 bytes and is not loaded."; fi
if echo "$body" | grep -q 'First step: what to look at'; then bad "The text is still the one that new.sh wrote."; fi

# Files that the text names have to be there, inside the folder.
for path in $(echo "$body" | grep -oE '\]\([^)]+\)|\{baseDir\}/[A-Za-z0-9._/-]+' | sed 's/^](//; s/)$//; s/^{baseDir}\///; s/#.*$//; s/[.,]$//' | sort -u); do
  case "$path" in
    http:* | https:* | mailto:* | "") ;;
    /* | *..*) bad "$path leaves the folder." ;;
    *) if [ ! -e "$folder/$path" ]; then bad "$path is named and not there."; fi ;;
  esac
done

# Commands that it says it needs.
for command in $(echo "$front" | grep -oE '"?bins"?: *\[[^]]*\]' | grep -oE '[A-Za-z0-9._-]+' | grep -v '^bins$'); do
  if ! command -v "$command" > /dev/null; then bad "It requires $command, which the shell does not have."; fi
done
for command in python python3 node npm npx pip git brew apt-get sudo ffmpeg; do
  if echo "$body" | grep -Eq "^ *$command "; then doubt "A line begins with $command, which does not run here."; fi
done
if grep -rEqn -- '[-]{5}BEGIN|(sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[a-z]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}|xox[a-z]-[A-Za-z0-9-]{10,}' "$folder"; then bad "Something in the folder looks like a secret."; fi

if [ "$wrong" = 0 ]; then echo "✓ $name can be used: $lines lines, a description of ${#description} characters."; fi
exit "$wrong"
