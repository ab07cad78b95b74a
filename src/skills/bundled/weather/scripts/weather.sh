#!/bin/bash
# weather.sh PLACE [DAYS] [us]: the weather now and the forecast, as text. PLACE is "Name", "Name, Region" or "LAT,LON".
place=$1
days=${2:-3}
forecast=${WEATHER_API:-https://api.open-meteo.com}
geocoding=${WEATHER_GEOCODING_API:-https://geocoding-api.open-meteo.com}

if [ -z "$place" ]; then
  echo 'Usage: weather.sh PLACE [DAYS] [us]' >&2
  exit 2
fi
if ! echo "$days" | grep -Eq '^([1-9]|1[0-6])$'; then
  echo "The days are a number from 1 to 16, not \"$days\"." >&2
  exit 2
fi

if echo "$place" | grep -Eq '^ *-?[0-9.]+ *, *-?[0-9.]+ *$'; then
  found=$(jq -cn --arg at "$place" '$at | split(",") | map(tonumber) | {name: $at, latitude: .[0], longitude: .[1]}')
else
  name=$(echo "${place%%,*}" | jq -Rr '@uri')
  rest=""
  case "$place" in *,*) rest=$(echo "${place#*,}" | sed 's/^ *//; s/ *$//') ;; esac
  answer=$(curl -fsS "$geocoding/v1/search?name=$name&count=20&language=en&format=json") || exit 1
  found=$(echo "$answer" | jq -c --arg rest "$rest" '
    [.results[]?] as $all
    | [$all[] | select([.country, .country_code, .admin1, .admin2] | map(select(. != null) | ascii_downcase) | index($rest | ascii_downcase))] as $meant
    | if $rest == "" then $all[0] else $meant[0] end')
  if [ -z "$found" ] || [ "$found" = null ]; then
    echo "No place is called \"$place\"." >&2
    echo "$answer" | jq -r '.results[:5][]? | "  there is: \(.name), \(.admin1 // ""), \(.country // "")"' >&2
    exit 1
  fi
fi

units=""
if [ "$3" = us ]; then units="&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"; fi
query=$(echo "$found" | jq -r '"latitude=\(.latitude)&longitude=\(.longitude)"')
now=temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m
daily=weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,wind_speed_10m_max,sunrise,sunset
curl -fsS "$forecast/v1/forecast?$query&timezone=auto&forecast_days=$days&current=$now&daily=$daily$units" | jq -r --argjson at "$found" '
  def sky: "\(.)" as $code | {"0": "clear", "1": "mostly clear", "2": "partly cloudy", "3": "overcast", "45": "fog", "48": "freezing fog",
    "51": "light drizzle", "53": "drizzle", "55": "heavy drizzle", "56": "freezing drizzle", "57": "heavy freezing drizzle",
    "61": "light rain", "63": "rain", "65": "heavy rain", "66": "freezing rain", "67": "heavy freezing rain",
    "71": "light snow", "73": "snow", "75": "heavy snow", "77": "snow grains", "80": "light showers", "81": "showers",
    "82": "violent showers", "85": "snow showers", "86": "heavy snow showers", "95": "thunderstorm",
    "96": "thunderstorm with hail", "99": "thunderstorm with heavy hail"}[$code] // "code \($code)";
  .daily_units.temperature_2m_max as $t | .daily_units.precipitation_sum as $p | .daily_units.wind_speed_10m_max as $w
  | "\([$at.name, $at.admin1, $at.country] | map(select(. != null)) | join(", ")) (\(.timezone))",
    "now \(.current.time): \(.current.weather_code | sky), \(.current.temperature_2m)\($t), feels like \(.current.apparent_temperature)\($t), humidity \(.current.relative_humidity_2m)%, wind \(.current.wind_speed_10m) \($w)",
    (.daily as $d | range($d.time | length) as $i
      | "\($d.time[$i]): \($d.weather_code[$i] | sky), \($d.temperature_2m_min[$i]) to \($d.temperature_2m_max[$i])\($t), precipitation \($d.precipitation_sum[$i]) \($p) (chance \($d.precipitation_probability_max[$i] | if . == null then "unknown" else "\(.)%" end)), wind to \($d.wind_speed_10m_max[$i]) \($w), sun \($d.sunrise[$i][11:]) to \($d.sunset[$i][11:])")'
