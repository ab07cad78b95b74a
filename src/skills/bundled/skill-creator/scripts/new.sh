#!/bin/bash
# new.sh NAME DESCRIPTION: begins a skill in skills/NAME. Run from the workspace.
name=$1
description=$2
if [ -z "$name" ] || [ -z "$description" ]; then
  echo 'Usage: new.sh NAME DESCRIPTION' >&2
  exit 2
fi
if ! echo "$name" | grep -Eq '^[a-z0-9]+(-[a-z0-9]+)*$' || [ "${#name}" -gt 64 ]; then
  echo "\"$name\" is no name: small letters, digits and single hyphens, at most 64." >&2
  exit 1
fi
folder="skills/$name"
if [ -e "$folder" ]; then
  echo "$folder is there already: edit it, or choose another name." >&2
  exit 1
fi
mkdir -p "$folder"
quoted=$(echo "$description" | jq -R .)
cat > "$folder/SKILL.md" <<TEXT
---
name: $name
description: $quoted
---

# $name

1. First step: what to look at, or which command to run.
2. Then what.

## The answer

What it looks like.

## When it fails

What to do instead, and what to tell the person.
TEXT
echo "$folder/SKILL.md is there. Write its steps, then run check.sh $folder."
