#!/bin/sh
# Brings the whole stack up under a name of its own, sends requests, kills one replica of each shard of ClickHouse meanwhile,
# and checks that every gateway-id has its record and its bodies, and that the replicas catch up. Then everything is removed,
# its volumes too.
#
#   docker build -t weir . && deploy/scale/test.sh [REQUESTS]
#
# Needs docker with compose, curl, openssl, and the ports 8787 and 8788 of this machine.
set -eu
cd "$(dirname "$0")"

requests=${1:-300}
# Those that all servers prefer. One of each shard, because an hour of an organization lies on one shard.
killed='clickhouse-1-0 clickhouse-2-0'
folder=$(mktemp -d)
key="sk-weir-us-$(openssl rand -hex 24)"

cat >"$folder/env" <<END
BOOTSTRAP_KEY=$key
CREDENTIALS_KEY=$(openssl rand -base64 32)
RECORDS_PASSWORD=$(openssl rand -hex 16)
CLUSTER_SECRET=$(openssl rand -hex 16)
LIMITS_PASSWORD=$(openssl rand -hex 16)
S3_ACCESS_KEY_ID=GK$(openssl rand -hex 12)
S3_SECRET_ACCESS_KEY=$(openssl rand -hex 32)
GARAGE_RPC_SECRET=$(openssl rand -hex 32)
END

stack() { docker compose -p weir-scale-test --env-file "$folder/env" "$@"; }

finish() {
  status=$?
  trap - EXIT INT TERM
  [ "$status" -eq 0 ] || stack logs --no-color --tail 50 || true
  stack down --volumes --timeout 5 || true
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Tries a command each second until it succeeds, for five minutes at most.
eventually() {
  tries=300
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "this did not come true: $*"
    sleep 1
  done
}

is_ready() { curl -fsS -o /dev/null http://127.0.0.1:8788/readyz 2>/dev/null; }

# Sends a request to the echo provider of the gateways, and notes its gateway-id.
send() {
  status=$(curl -sS -o /dev/null -D "$folder/headers" -w '%{http_code}' http://127.0.0.1:8787/v1/chat/completions \
    -H 'Host: echo.localhost' -H "Gateway-Auth: Bearer $key" -H 'Content-Type: application/json' \
    -d "{\"model\": \"echo\", \"messages\": [{\"role\": \"user\", \"content\": \"number $1\"}]}")
  [ "$status" = 200 ] || fail "request $1 was answered with $status"
  tr -d '\r' <"$folder/headers" | sed -n 's/^[Gg]ateway-[Ii]d: //p' >>"$folder/ids"
}

send_many() {
  number=$1
  while [ "$number" -le "$2" ]; do
    send "$number"
    number=$((number + 1))
  done
}

# Whether a record is there, and whether its body is.
is_found() { curl -fsS -o "$folder/record" "http://127.0.0.1:8788/v1/request/$1" -H "Authorization: Bearer $key" 2>/dev/null; }
has_body() {
  curl -fsS "http://127.0.0.1:8788/v1/request/$1/body?part=request" -H "Authorization: Bearer $key" 2>/dev/null | grep -q 'number '
}

# Counts the rows of a server's own table, each record once.
rows_of() {
  stack exec -T "$1" sh -c 'clickhouse-client --user weir --password "$RECORDS_PASSWORD" --query "$0"' \
    'select uniqExact(request_id) from weir.requests_local' 2>/dev/null
}
are_equal() {
  one=$(rows_of "$1") && other=$(rows_of "$2") && [ -n "$one" ] && [ "$one" = "$other" ]
}

stack up -d
echo 'waiting for the gateways'
eventually is_ready

third=$((requests / 3))
: >"$folder/ids"
send_many 1 "$third"
echo "killing $killed"
# shellcheck disable=SC2086 # two names
stack kill $killed
send_many $((third + 1)) $((2 * third))
# With these away: changes and queries work by the others.
eventually curl -fsS -o /dev/null -X PUT "http://127.0.0.1:8788/v1/request/$(tail -n 1 "$folder/ids")/property" \
  -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"Team": "night"}'
echo 'looking for what was sent since then'
# Not for all: what a replica took in the moment before it was killed may come back only with it.
tail -n "$third" "$folder/ids" >"$folder/since"
while read -r id; do eventually is_found "$id"; done <"$folder/since"
# shellcheck disable=SC2086
stack start $killed
send_many $((2 * third + 1)) "$requests"

echo 'looking for every record and its body'
[ "$(wc -l <"$folder/ids")" -eq "$requests" ] || fail 'a response had no gateway-id'
[ "$(sort -u "$folder/ids" | wc -l)" -eq "$requests" ] || fail 'two responses had the same gateway-id'
while read -r id; do
  eventually is_found "$id"
  eventually has_body "$id"
done <"$folder/ids"

echo 'waiting for the replicas to hold the same'
eventually are_equal clickhouse-1-0 clickhouse-1-1
eventually are_equal clickhouse-2-0 clickhouse-2-1
total=$(($(rows_of clickhouse-1-0) + $(rows_of clickhouse-2-0)))
[ "$total" -eq "$requests" ] || fail "ClickHouse holds $total records of $requests requests"
echo "ok: $requests requests, $requests records, both replicas of each shard hold the same"
