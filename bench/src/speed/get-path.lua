-- wrk: gets a path for one device after another. Arguments: devices file, a header line, number of the first request.
local requests = {}
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for line in io.lines(args[1]) do
    local token = line:match(" (.+)")
    requests[#requests + 1] = "GET " .. wrk.path .. " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " .. token
      .. "\r\n" .. args[2] .. "\r\n\r\n"
  end
  sent = tonumber(args[3])
  collectgarbage()
  before = os.clock()
end

function request()
  local device = sent % #requests
  sent = sent + 1
  return requests[device + 1]
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
