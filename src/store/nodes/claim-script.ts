/**
 * Claims shares of limits in Redis or Valkey, all or nothing: each node gets the share it wants as far as other nodes leave
 * room, and never less than it has used. Uses the server's clock.
 *
 * Keys: the nodes (sorted set, by when they were last seen), the time since which the server has data, and a hash for each
 * limit: node → amount and expiry. Arguments: the node, how long the server's data counts as young, after how long a node is
 * gone, then for each limit its quota, used, want, held and the lifetime of the amount. Amounts may be fractions; they are
 * returned as strings, because Redis truncates a script's numbers to integers.
 *
 * While its data is young, the server grants only what the node already holds.
 *
 * Returns 1 when its data is young, otherwise 0; the number of nodes; then for each limit what the node has now and what
 * others have.
 */
export const CLAIM_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local node, settle, gone = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('SET', KEYS[2], string.format('%.0f', now), 'NX')
local young = now - tonumber(redis.call('GET', KEYS[2])) < settle
redis.call('ZADD', KEYS[1], now, node)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - gone)
local answer = { young and '1' or '0', tostring(redis.call('ZCARD', KEYS[1])) }
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 4
  local quota, used, want, held = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local till = now + tonumber(ARGV[at + 4])
  local others, last = 0, till
  local all = redis.call('HGETALL', KEYS[i])
  for j = 1, #all, 2 do
    if all[j] ~= node then
      local amount, kept = string.match(all[j + 1], '^(%S+) (%S+)$')
      if tonumber(kept) <= now then
        redis.call('HDEL', KEYS[i], all[j])
      else
        others = others + tonumber(amount)
        last = math.max(last, tonumber(kept))
      end
    end
  end
  local room = young and held or quota - others
  local amount = math.max(used, math.min(want, room))
  if amount > 0 then
    redis.call('HSET', KEYS[i], node, string.format('%.17g %.0f', amount, till))
  else
    redis.call('HDEL', KEYS[i], node)
  end
  redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', last))
  answer[#answer + 1] = string.format('%.17g', amount)
  answer[#answer + 1] = string.format('%.17g', others)
end
return answer
`;
