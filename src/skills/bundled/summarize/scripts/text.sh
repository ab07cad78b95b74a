#!/bin/bash
# text.sh URL|FILE [PART]: the readable text of a web page, subtitles or a text file, in parts of 12,000 characters.
source=$1
part=${2:-1}
if [ -z "$source" ] || ! echo "$part" | grep -Eq '^[1-9][0-9]*$'; then
  echo 'Usage: text.sh URL|FILE [PART]' >&2
  exit 2
fi

# entities: the characters that HTML names.
entities() {
  sed -E "s/&nbsp;|&#160;/ /g; s/&lt;/</g; s/&gt;/>/g; s/&quot;|&ldquo;|&rdquo;/\"/g; s/&#0*39;|&#x27;|&apos;|&lsquo;|&rsquo;/'/g; s/&mdash;|&ndash;/-/g; s/&hellip;/…/g; s/&amp;/\&/g"
}

# cat_once: no more than one empty line after another, and none at the beginning.
cat_once() { awk 'NF { print; empty = 0; any = 1 } !NF && any && !empty { print ""; empty = 1 }'; }

raw=/tmp/text.raw
case "$source" in
  http://* | https://*)
    curl -fsSL -A 'Mozilla/5.0 (compatible; Isopod)' -H 'Accept: text/html, text/*;q=0.9' -o "$raw" "$source" || exit 1
    ;;
  *)
    if [ ! -f "$source" ]; then
      echo "$source is not there." >&2
      exit 1
    fi
    cp "$source" "$raw"
    ;;
esac
start=$(head -c 512 "$raw")
if [ ! -s "$raw" ]; then
  echo "$source is empty." >&2
  exit 1
fi
if file -b --mime-type "$raw" | grep -Eq '^(application/(pdf|zip|gzip)|image|audio|video)'; then
  echo "$source is no text ($(file -b --mime-type "$raw"))." >&2
  exit 1
fi

if echo "$start" | grep -Eiq '<(!doctype html|html|head|body|article|div|p)[ >]'; then
  title=$(jq -Rrs '[match("<title[^>]*>([^<]*)</title>"; "i").captures[0].string][0] // ""' "$raw" | entities | tr '\n' ' ' | sed 's/ *$//')
  # What is around the text goes, then tags become what they mean in Markdown.
  text=$(jq -Rrs '
      gsub("<!--[\\s\\S]*?-->"; "")
      | gsub("<(script|style|noscript|svg|template|iframe)[ >][\\s\\S]*?</(script|style|noscript|svg|template|iframe)>"; ""; "i")
      | if test("<main[ >]"; "i") then sub("^[\\s\\S]*?<main"; "<main"; "i") | sub("</main>[\\s\\S]*$"; ""; "i")
        elif ([scan("<article[ >]")] | length) == 1 then sub("^[\\s\\S]*?<article"; "<article"; "i") | sub("</article>[\\s\\S]*$"; ""; "i")
        else gsub("<head[ >][\\s\\S]*?</head>"; ""; "i") end
      | gsub("<(nav|footer|aside|form)[ >][\\s\\S]*?</(nav|footer|aside|form)>"; ""; "i")
      | gsub("\\s+"; " ")
      | gsub("<h1[^>]*>"; "\n\n# "; "i") | gsub("<h2[^>]*>"; "\n\n## "; "i") | gsub("<h[3-6][^>]*>"; "\n\n### "; "i")
      | gsub("<li[^>]*>"; "\n- "; "i") | gsub("<(td|th)[^>]*>"; " | "; "i") | gsub("<(br|tr)[^>]*>"; "\n"; "i")
      | gsub("</?(p|div|section|article|ul|ol|table|pre|blockquote|h[1-6]|dl|figure)[^>]*>"; "\n\n"; "i")
      | gsub("<[^>]*>"; "")' "$raw" | entities | sed -E 's/[ ]+/ /g; s/^ //; s/ $//' | cat_once)
elif echo "$start" | grep -Eq '[0-9]:[0-9]{2}[.,][0-9]{3} -->'; then
  title=""
  # One line for each minute, without what subtitles say twice.
  text=$(tr -d '\r' < "$raw" | awk '
    /-->/ {
      n = split($1, at, /[:.,]/); minute = (n > 3) ? at[1] * 60 + at[2] : at[1] + 0
      if (minute != shown) { printf "%s[%d:00] ", (shown == "" ? "" : "\n"), minute; shown = minute }
      told = 1; next
    }
    /^[ \t]*$/ { told = 0; next }
    told { gsub(/<[^>]*>/, ""); if ($0 != last) printf "%s ", $0; last = $0 }')
else
  title=""
  text=$(cat "$raw")
fi

echo "$text" | jq -Rrs --arg title "$title" --argjson part "$part" '
  (gsub("^\\s+|\\s+$"; "")) as $all | ($all | length) as $length | ([($length / 12000 | ceil), 1] | max) as $parts
  | if $part > $parts then "There are only \($parts) parts."
    else "[part \($part) of \($parts), \($length) characters\(if $title == "" then "" else ", title: " + $title end)]\n\n" + $all[($part - 1) * 12000:$part * 12000] end'
