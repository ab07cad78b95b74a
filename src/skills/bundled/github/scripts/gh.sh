#!/bin/bash
# gh.sh COMMAND ...: GitHub's REST API. Without a command it says which there are. Exit code 1 where GitHub refuses.
set -o pipefail
api=${GITHUB_API:-https://api.github.com}

usage() {
  cat >&2 << 'TEXT'
gh.sh issues REPO [open|closed|all]      gh.sh prs REPO [open|closed|all]
gh.sh issue REPO NUMBER                  gh.sh pr REPO NUMBER
gh.sh diff REPO NUMBER                   gh.sh checks REPO REF
gh.sh log REPO JOB                       gh.sh file REPO PATH [REF]
gh.sh search QUERY                       gh.sh comment REPO NUMBER [TEXT]
gh.sh new-issue REPO TITLE [TEXT]        gh.sh api METHOD PATH [JSON]
REPO is owner/name. A text that is not given is read from stdin.
TEXT
  exit 2
}

# ask METHOD PATH [JSON] [ACCEPT]: one request. Its body on stdout, or what was refused on stderr.
ask() {
  if [ "$1" != GET ] && [ -z "$GITHUB_TOKEN" ]; then
    echo 'Writing needs a token: set skills.entries.github.apiKey.' >&2
    return 1
  fi
  local options=(-sS -X "$1" -H "Accept: ${4:-application/vnd.github+json}" -H "X-GitHub-Api-Version: 2022-11-28" -H "User-Agent: isopod-skill")
  if [ -n "$GITHUB_TOKEN" ]; then options+=(-H "Authorization: Bearer $GITHUB_TOKEN"); fi
  if [ -n "$3" ]; then options+=(-H "Content-Type: application/json" --data-raw "$3"); fi
  local answer status
  answer=$(curl "${options[@]}" -w '\n%{http_code}' "$api$2") || return 1
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  case "$status" in
    2*) echo "$answer" ;;
    401) echo "GitHub refuses the token (401)." >&2; return 1 ;;
    404) echo "GitHub does not know $2, or the token may not see it (404)." >&2; return 1 ;;
    403 | 429) echo "GitHub refuses $1 $2 ($status): $(echo "$answer" | jq -r '.message' 2> /dev/null)" >&2
      if [ -z "$GITHUB_TOKEN" ]; then echo 'Without a token there are 60 requests an hour.' >&2; fi
      return 1 ;;
    *) echo "GitHub answers $status to $1 $2: $(echo "$answer" | jq -r '[.message, (.errors[]?.message // empty)] | join("; ")' 2> /dev/null)" >&2; return 1 ;;
  esac
}

text_of() { if [ -n "$1" ]; then echo "$1"; else cat; fi; }

repo() {
  if ! echo "$1" | grep -Eq '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$'; then
    echo "\"$1\" is not owner/name." >&2
    exit 2
  fi
}
number() {
  if ! echo "$1" | grep -Eq '^[0-9]+$'; then
    echo "\"$1\" is no number." >&2
    exit 2
  fi
}

LINE='"#\(.number) \(.title)  [\(.user.login), \(.updated_at[:10])\(if .draft then ", draft" else "" end)\(.labels | map(", " + .name) | join(""))]"'
COMMENTS='.[] | "\n--- \(.user.login), \(.created_at[:16])\n\(.body // "")"'

command=$1
[ $# -eq 0 ] || shift
case "$command" in
  api)
    [ -n "$2" ] || usage
    ask "$1" "$2" "$3"
    ;;
  issues)
    repo "$1"
    ask GET "/repos/$1/issues?state=${2:-open}&per_page=50" | jq -r ".[] | select(.pull_request == null) | $LINE"
    ;;
  prs)
    repo "$1"
    ask GET "/repos/$1/pulls?state=${2:-open}&per_page=50" | jq -r ".[] | $LINE"
    ;;
  issue)
    repo "$1"
    number "$2"
    issue=$(ask GET "/repos/$1/issues/$2") || exit 1
    echo "$issue" | jq -r "$LINE + \"\n\(.state), \(.html_url)\n\n\(.body // \"\")\""
    ask GET "/repos/$1/issues/$2/comments?per_page=100" | jq -r "$COMMENTS"
    ;;
  pr)
    repo "$1"
    number "$2"
    pull=$(ask GET "/repos/$1/pulls/$2") || exit 1
    echo "$pull" | jq -r "$LINE + \"\n\(if .merged then \"merged\" else .state end), \(.head.ref) into \(.base.ref), +\(.additions) -\(.deletions) in \(.changed_files) files, mergeable: \(.mergeable_state), \(.html_url)\n\n\(.body // \"\")\""
    ask GET "/repos/$1/issues/$2/comments?per_page=100" | jq -r "$COMMENTS"
    ask GET "/repos/$1/pulls/$2/comments?per_page=100" | jq -r '.[] | "\n--- \(.user.login) at \(.path):\(.line // .original_line // "?")\n\(.body)"'
    ;;
  diff)
    repo "$1"
    number "$2"
    ask GET "/repos/$1/pulls/$2" "" application/vnd.github.diff
    ;;
  checks)
    repo "$1"
    [ -n "$2" ] || usage
    runs=$(ask GET "/repos/$1/commits/$(echo "$2" | jq -Rr @uri)/check-runs?per_page=100") || exit 1
    echo "$runs" | jq -r '.check_runs[] | "\(.conclusion // .status)  \(.name)"'
    echo "$runs" | jq -r '.check_runs[] | select(.conclusion == "failure") | "failed: job \(.id), \(.name): \(.output.title // "see its log") \(.html_url)"'
    ;;
  log)
    repo "$1"
    number "$2"
    log=$(ask GET "/repos/$1/actions/jobs/$2/logs") || exit 1
    echo "$log" | tail -n 120
    ;;
  file)
    repo "$1"
    [ -n "$2" ] || usage
    path=$(echo "$2" | jq -Rr 'split("/") | map(@uri) | join("/")')
    ref=""
    if [ -n "$3" ]; then ref="?ref=$(echo "$3" | jq -Rr @uri)"; fi
    ask GET "/repos/$1/contents/$path$ref" "" application/vnd.github.raw+json
    ;;
  search)
    [ -n "$1" ] || usage
    ask GET "/search/issues?per_page=30&q=$(echo "$1" | jq -Rr @uri)" | jq -r '"\(.total_count) found", (.items[] | "\(.html_url)  \(.title)  [\(.state), \(.updated_at[:10])]")'
    ;;
  comment)
    repo "$1"
    number "$2"
    json=$(text_of "$3" | jq -Rsc '{body: rtrimstr("\n")}')
    said=$(ask POST "/repos/$1/issues/$2/comments" "$json") || exit 1
    echo "$said" | jq -r '"Written: \(.html_url)"'
    ;;
  new-issue)
    repo "$1"
    [ -n "$2" ] || usage
    json=$(text_of "$3" | jq -Rsc --arg title "$2" '{title: $title, body: rtrimstr("\n")}')
    made=$(ask POST "/repos/$1/issues" "$json") || exit 1
    echo "$made" | jq -r '"Opened #\(.number): \(.html_url)"'
    ;;
  *) usage ;;
esac
