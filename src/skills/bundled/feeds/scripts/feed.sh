#!/bin/bash
# feed.sh URL [COUNT]: the newest entries of an RSS, Atom or JSON feed, one a line: date, title, link, with tabs between.
url=$1
count=${2:-10}
if ! echo "$url" | grep -Eq '^https?://' || ! echo "$count" | grep -Eq '^[1-9][0-9]*$'; then
  echo 'Usage: feed.sh URL [COUNT]' >&2
  exit 2
fi
raw=/tmp/feed.raw
curl -fsSL -A 'Isopod feed reader' -H 'Accept: application/atom+xml, application/rss+xml, application/feed+json, text/xml, */*;q=0.5' -o "$raw" "$url" || exit 1

if jq -e '.items | type == "array"' "$raw" > /dev/null 2>&1; then
  jq -r --argjson count "$count" '.items[:$count][] | [(.date_published // .date_modified // "")[:10], (.title // .summary // .content_text // "")[:200], .url // .id // ""] | map(gsub("\\s+"; " ")) | join("\t")' "$raw"
  exit 0
fi

jq -Rrs --arg apos "'" --argjson count "$count" '
  def month: {jan: "01", feb: "02", mar: "03", apr: "04", may: "05", jun: "06", jul: "07", aug: "08", sep: "09", oct: "10", nov: "11", dec: "12"};
  def plain: gsub("<!\\[CDATA\\[|\\]\\]>"; "") | gsub("&lt;"; "<") | gsub("&gt;"; ">") | gsub("<[^>]*>"; "")
    | gsub("&quot;"; "\"") | gsub("&#0*39;|&#x0*27;|&apos;"; $apos) | gsub("&nbsp;|&#160;"; " ") | gsub("&amp;"; "&") | gsub("\\s+"; " ") | gsub("^ | $"; "");
  def first_of(names): . as $entry | [names | . as $name | $entry | [match("<\($name)(?: [^>]*)?>([\\s\\S]*?)</\($name)>"; "i").captures[0].string][0] // empty | plain | select(. != "")][0] // "";
  def link: ([scan("<link [^>]*>") | select(test("rel=.(self|edit|enclosure|replies)") | not) | [match("href=[\"\($apos)]([^\"\($apos)]*)").captures[0].string][0] // empty][0] // "") as $href
    | if $href != "" then $href | plain else first_of("link", "guid", "id") end;
  def day: if test("^[0-9]{4}-") then .[:10]
    else ([match("([0-9]{1,2}) ([A-Za-z]{3})[a-z]* ([0-9]{4})").captures | map(.string)][0]) as $d
      | if $d == null then "" else "\($d[2])-\((month)[$d[1] | ascii_downcase] // "00")-\(if ($d[0] | length) == 1 then "0" else "" end)\($d[0])" end end;
  [scan("<(?:item|entry)[ >][\\s\\S]*?</(?:item|entry)>")][:$count][]
  | [(first_of("pubDate", "published", "updated", "dc:date") | day), (first_of("title", "description", "summary") | .[:200]), link] | join("\t")' "$raw" > /tmp/feed.out || exit 1
if [ -s /tmp/feed.out ]; then
  cat /tmp/feed.out
  exit 0
fi
if grep -Eiq '<(rss|feed|rdf:RDF)[ >]' "$raw"; then exit 0; fi
echo "There is no feed at $url." >&2
grep -oiE '<link [^>]*application/(rss|atom|feed)\+(xml|json)[^>]*>' "$raw" | grep -oE "href=[\"'][^\"']*" | cut -c 7- | sed 's/^/  the page announces: /' >&2
exit 1
