/** Lines of access logs, each in the form of its writer. */
import { expect, test } from 'vitest'
import { readLogLine } from './access-log.ts'

test('common format without a browser, and a time with a zone', () => {
  expect(readLogLine('1.2.3.4 - bob [10/Oct/2020:13:55:36 -0700] "GET /v1/kv/a?raw HTTP/1.0" 200 5')).toEqual(
    {
      method: 'GET',
      path: '/v1/kv/a',
      options: new Set(['raw']),
      status: 200,
      atMs: Date.parse('2020-10-10T20:55:36Z'),
      client: '1.2.3.4',
      userAgent: undefined,
    },
  )
})

test.each(['hello', '{"a":1}', '{', '[]', '"text"'])('not read: %s', (line) => {
  expect(readLogLine(line)).toBe('unread')
})

test.each([
  '{"level":"info","msg":"started"}',
  '    2019/08/01 12:00:00 [INFO] serf: EventMemberJoin: node-1 10.0.0.1',
  '2021-08-01T12:00:00.000Z [INFO]  agent.server: New leader elected: payload=node-1',
  'Feb  6 12:14:14 lb haproxy[14389]: Proxy web started.',
])('no call: %s', (line) => {
  expect(readLogLine(line)).toBe('other')
})

const at = Date.parse('2021-08-01T12:00:00Z')
const LINES = {
  'the legacy service':
    '    2021/08/01 12:00:00 [DEBUG] http: Request PUT /v1/acl/create?dc=dc1 (1.2ms) from=10.0.0.1:5555',
  'the legacy service, later':
    '2021-08-01T12:00:00.000Z [DEBUG] agent.http: Request finished: method=PUT url=/v1/acl/create?dc=dc1 from=10.0.0.1:5555 latency=1.2ms',
  'the legacy service, a refused call':
    '    2021/08/01 12:00:00 [ERR] http: Request PUT /v1/acl/create?dc=dc1, error: Permission denied from=10.0.0.1:5555',
  'the legacy service, a refused call, later':
    '2021-08-01T12:00:00.000Z [ERROR] agent.http: Request error: method=PUT url=/v1/acl/create?dc=dc1 from=10.0.0.1:5555 error="Permission denied"',
  'the legacy service in JSON':
    '{"@level":"debug","@message":"Request finished","@module":"agent.http","@timestamp":"2021-08-01T12:00:00.000000Z","from":"10.0.0.1:5555","latency":"1ms","method":"PUT","url":"/v1/acl/create?dc=dc1"}',
  'nginx, Apache':
    '10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 12 "-" "curl/8" "10.9.9.9"',
  'Apache with its virtual host':
    'acl.example:80 10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 12 "-" "curl/8"',
  'nginx in JSON':
    '{"time_iso8601":"2021-08-01T12:00:00+00:00","remote_addr":"10.0.0.1","request":"PUT /v1/acl/create?dc=dc1 HTTP/1.1","status":"200","http_user_agent":"curl/8"}',
  HAProxy:
    'Aug  1 12:00:00 lb haproxy[143]: 10.0.0.1:33317 [01/Aug/2021:12:00:00.000] http-in acl/s1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {acl.example} {} "PUT /v1/acl/create?dc=dc1 HTTP/1.1"',
  'HAProxy in JSON':
    '{"time":"2021-08-01T12:00:00Z","client_ip":"10.0.0.1","status_code":200,"http_method":"PUT","http_uri":"/v1/acl/create?dc=dc1"}',
  Envoy:
    '[2021-08-01T12:00:00.000Z] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 - 154 0 226 100 "10.0.0.1" "curl/8" "cc21d9b0" "acl" "tcp://10.0.2.1:80"',
  'Envoy in JSON':
    '{"start_time":"2021-08-01T12:00:00.000Z","method":"PUT","path":"/v1/acl/create?dc=dc1","response_code":200,"downstream_remote_address":"10.0.0.1:9999","user_agent":"curl/8"}',
  Caddy:
    '{"level":"info","ts":1627819200,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","remote_port":"41342","method":"PUT","host":"acl","uri":"/v1/acl/create?dc=dc1","headers":{"User-Agent":["curl/8"]}},"status":200}',
}
test.each(Object.entries(LINES))('%s', (_, line) => {
  const call = readLogLine(line)
  expect(call).toMatchObject({ method: 'PUT', path: '/v1/acl/create', client: '10.0.0.1', atMs: at })
  if (typeof call === 'object') expect([...call.options]).toEqual(['dc'])
})

test('another form, by a pattern', () => {
  const pattern = /^(?<client>\S+) did (?<method>\w+) on (?<path>\S+)/
  expect(readLogLine('bob did put on /v1/acl/create?token=x now', pattern)).toMatchObject({
    method: 'PUT',
    path: '/v1/acl/create',
    client: 'bob',
  })
})

const CLF =
  '10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "PUT /v1/acl/create?dc=dc1&token=x HTTP/1.1" 200 12 "-" "curl/8"'
const ENVOY =
  '[2021-08-01T12:00:00.000Z] "PUT /v1/acl/create?dc=dc1&token=x HTTP/1.1" 200 - 154 0 226 100 "10.0.0.1" "curl/8"'
const OLD =
  '    2021/08/01 12:00:00 [DEBUG] http: Request PUT /v1/acl/create?dc=dc1&token=x (1.2ms) from=10.0.0.1:5555'
const WRAPPED = {
  'journald, nginx': `Aug 01 12:00:00 lb nginx[12]: ${CLF}`,
  'journald with full times': `Sun 2021-08-01 12:00:00 UTC lb envoy[12]: ${ENVOY}`,
  'journald, short-iso': `2021-08-01T12:00:00+0000 node consul[812]: ${OLD}`,
  'journald, short-unix': `1627819200.123456 node consul[812]: ${OLD}`,
  'journald in JSON': JSON.stringify({
    __REALTIME_TIMESTAMP: '1627819200000000',
    PRIORITY: '6',
    MESSAGE: CLF,
  }),
  'journald in JSON, with colours': JSON.stringify({
    MESSAGE: [...Buffer.from(`\u001b[36m${OLD}\u001b[0m`)],
  }),
  'syslog of RFC 3164, Envoy': `<134>Aug  1 12:00:00 10.9.9.9 envoy: ${ENVOY}`,
  'syslog of RFC 5424, Envoy': `<134>1 2021-08-01T12:00:00Z lb envoy 12 - [a@1 b="c"] ${ENVOY}`,
  Docker: JSON.stringify({ log: `${CLF}\n`, stream: 'stdout', time: '2021-08-01T12:00:01Z' }),
  'Docker, a JSON line inside': JSON.stringify({
    log: JSON.stringify({
      level: 'info',
      ts: 1_627_819_200,
      verb: 'put',
      target: '/v1/acl/create?dc=dc1&token=x',
      client_addr: '10.0.0.1:99',
    }),
    stream: 'stdout',
  }),
  'docker logs --timestamps': `2021-08-01T12:00:00.000000001Z ${ENVOY}`,
  'Docker Compose with colours': `\u001b[36mproxy-1  |\u001b[0m ${CLF}\r`,
  Kubernetes: `2021-08-01T12:00:00.000000001Z stdout F ${CLF}`,
  'Kubernetes, JSON': `2021-08-01T12:00:00.000000001Z stderr F {"level":"info","time":"2021-08-01T12:00:00Z","method":"PUT","uri":"/v1/acl/create?dc=dc1&token=x","ip":"10.0.0.1"}`,
  'kubectl logs --prefix': `[pod/consul-0/consul] ${OLD}`,
  Filebeat: JSON.stringify({
    '@timestamp': '2021-08-01T12:00:00Z',
    log: { file: { path: '/var/log/nginx/access.log' }, offset: 1 },
    message: CLF,
  }),
  Traefik: `${CLF} 17 "acl@docker" "http://10.0.2.1:8500" 1ms`,
  'Traefik in JSON': JSON.stringify({
    ClientAddr: '10.0.0.1:5555',
    ClientHost: '10.0.0.1',
    DownstreamStatus: 200,
    RequestMethod: 'PUT',
    RequestPath: '/v1/acl/create?dc=dc1&token=x',
    RequestProtocol: 'HTTP/1.1',
    StartUTC: '2021-08-01T12:00:00Z',
    level: 'info',
    msg: '',
    time: '2021-08-01T12:00:00Z',
  }),
  ECS: JSON.stringify({
    '@timestamp': '2021-08-01T12:00:00Z',
    'log.level': 'info',
    message: 'request done',
    http: { request: { method: 'put' } },
    url: { path: '/v1/acl/create', query: 'dc=dc1&token=x' },
    client: { ip: '10.0.0.1' },
  }),
  OpenTelemetry: JSON.stringify({
    timestamp: '1627819200000000000',
    attributes: [
      { key: 'http.request.method', value: { stringValue: 'PUT' } },
      { key: 'url.path', value: { stringValue: '/v1/acl/create' } },
      { key: 'url.query', value: { stringValue: 'dc=dc1&token=x' } },
      { key: 'client.address', value: { stringValue: '10.0.0.1' } },
    ],
  }),
  'JSON with a level, the request in the message':
    '{"level":"info","time":"2021-08-01T12:00:00Z","msg":"PUT /v1/acl/create?dc=dc1&token=x -> 200","client":"10.0.0.1"}',
  'JSON with a level and unknown names':
    '{"level":"info","time":"2021-08-01T12:00:00Z","op":"PUT","resource":"/v1/acl/create?dc=dc1&token=x","from":"10.0.0.1"}',
  logfmt:
    'time=2021-08-01T12:00:00Z level=info path="/v1/acl/create?dc=dc1&token=x" status=200 method=put ip=10.0.0.1',
  IIS: '2021-08-01 12:00:00Z 10.0.0.1 PUT /v1/acl/create?dc=dc1&token=x - 8500 200',
  CSV: '2021-08-01T12:00:00Z,10.0.0.1,PUT,/v1/acl/create?dc=dc1&token=x,200',
  'a load balancer with whole URLs':
    'http 2021-08-01T12:00:00Z app/lb 10.0.0.1:2817 10.0.0.2:80 0.0 0.0 200 200 34 366 "PUT http://acl.example:80/v1/acl/create?dc=dc1&token=x HTTP/1.1" "curl/8"',
  'an error of nginx':
    '2021/08/01 12:00:00 [error] 12#12: *1 upstream timed out, client: 10.0.0.1, server: acl, request: "PUT /v1/acl/create?dc=dc1&token=x HTTP/1.1", upstream: "http://10.0.2.1"',
  'escaped quotes':
    'time=2021-08-01T12:00:00Z msg="{\\"method\\":\\"PUT\\",\\"url\\":\\"/v1/acl/create?dc=dc1&token=x\\",\\"ip\\":\\"10.0.0.1\\"}"',
}
test.each(Object.entries(WRAPPED))('a call inside other formats: %s', (_, line) => {
  const call = readLogLine(line)
  expect(call).toMatchObject({ method: 'PUT', path: '/v1/acl/create', client: '10.0.0.1', atMs: at })
  if (typeof call === 'object') expect([...call.options]).toEqual(['dc', 'token'])
})

test.each([
  ...[CLF, ENVOY, OLD].map((line) => line.slice(0, line.indexOf('create') + 3)),
  `Aug 01 12:00:00 lb nginx[12]: ${CLF.slice(0, CLF.indexOf('PUT') + 2)}`,
  '{"level":"info","method":"PUT","path":"/v1/acl/cre',
  '2021-08-01T12:00:00.000000001Z stdout P {"level":"info","method":"PUT","pa',
  JSON.stringify({ log: CLF.slice(0, CLF.indexOf('create') + 3), stream: 'stdout' }),
  '{"level":"info","msg":"PUT /v1/acl/cre..."}',
  '{"MESSAGE":null,"PRIORITY":"6"}',
  '{"level":"info","op":"PUT","key":"acl/create"}',
])('a line that ends inside the call, or shows only a trace of one, is not read: %s', (line) => {
  expect(readLogLine(line)).toBe('unread')
})

test.each([
  '10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "-" 400 0 "-" "-"',
  '10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"',
  'Aug  1 12:00:00 lb haproxy[1]: 10.0.0.1:33317 [01/Aug/2021:12:00:00.000] in in/<NOSRV> -1/-1/-1/-1/0 400 0 - - PR-- 1/1/0/0/0 0/0 "<BADREQ>"',
])('a request that nobody could read is no call: %s', (line) => {
  expect(readLogLine(line)).toBe('other')
})

test('a cut call whose path is complete is read', () => {
  expect(readLogLine(CLF.slice(0, CLF.indexOf('HTTP')))).toMatchObject({
    method: 'PUT',
    path: '/v1/acl/create',
  })
})

test.each(['1', 'a ', '1:1 [', '/a', '"PUT /v1/', '{"', 'a - [', ' | ', '%63', 'GET '])(
  'a megabyte of %j takes less than two seconds',
  (part) => {
    const startedAt = performance.now()
    readLogLine(part.repeat(1_000_000 / part.length))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  },
)

test('a call that the legacy service sends to syslog has no year, and so no time', () => {
  const line =
    'Aug  1 12:00:00 10.9.9.9 consul[812]: http: Request PUT /v1/acl/create?token=x (1.2ms) from=10.0.0.1:5555'
  expect(readLogLine(line)).toMatchObject({ path: '/v1/acl/create', client: '10.0.0.1', atMs: undefined })
})
