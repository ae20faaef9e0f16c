-- wrk script: sends one request per device in turn. bodyOf in fleet-requests.ts has the same rule for the bodies.
-- Arguments: number of the first request, devices file, then "post" and a bodies file, or "get" and a header line.
local heads, tails = {}, {}
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  sent = tonumber(args[1])
  local verb = args[3]:upper() .. " " .. wrk.path .. " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer "
  for line in io.lines(args[2]) do
    heads[#heads + 1] = verb .. line:match(" (.+)") .. "\r\n"
  end
  if args[3] == "get" then
    tails[1] = args[4] .. "\r\n\r\n"
  else
    for body in io.lines(args[4]) do
      tails[#tails + 1] = "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    end
  end
  collectgarbage()
  before = os.clock()
end

function request()
  local device = sent % #heads
  local tail = (device + math.floor(sent / #heads) * 6) % #tails
  sent = sent + 1
  return heads[device + 1] .. tails[tail + 1]
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
