-- Sends the requests of a file (method, path, secret and body, separated by tabs) in a loop, and prints one line of figures.
local texts = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, secret, body = line:match('^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$')
    texts[#texts + 1] = wrk.format(method, path, { [args[2]] = secret }, body ~= '' and body or nil)
  end
end

function request()
  at = at % #texts + 1
  return texts[at]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT %d %d %d %d %d', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
