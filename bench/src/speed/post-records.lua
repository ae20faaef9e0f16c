-- wrk: posts the devices' bodies one after another; see fleet-requests.ts for which belongs to which.
-- Arguments: devices file, bodies file, number of the first request.
local heads, bodies = {}, {}
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for line in io.lines(args[1]) do
    local token = line:match(" (.+)")
    heads[#heads + 1] = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " .. token
      .. "\r\nContent-Type: application/json\r\nContent-Length: "
  end
  for line in io.lines(args[2]) do
    bodies[#bodies + 1] = #line .. "\r\n\r\n" .. line
  end
  sent = tonumber(args[3])
  collectgarbage()
  before = os.clock()
end

function request()
  local device = sent % #heads
  local body = (device + math.floor(sent / #heads) * 6) % #bodies
  sent = sent + 1
  return heads[device + 1] .. bodies[body + 1]
end

function done(summary, latency, requests)
  local errors = summary.errors
  local spent = os.clock() - threads[1]:get("before")
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failed":%d,"cpuSeconds":%f,"next":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    spent, threads[1]:get("sent")))
end
