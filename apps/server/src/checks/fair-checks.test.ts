/** Hanging checks leave places for the checks of others. Decisions: agent. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckRecord } from '@latchkey/catalog'
import { limits } from '@latchkey/contract'
import { MemoryStore, startLocalChecks } from '@latchkey/service'
import { HOSTILE_ANSWERS, startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { Outgoing } from '../outgoing/outgoing.ts'
import { CheckRunner } from './check-runner.ts'

const NODE = 'a'
const HANGING = 200
const sleeper = {
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

interface Owner {
  readonly token: string
  readonly service: string
  /** Name of the service. Default: its ID. */
  readonly name?: string
}

function aRunning(id: string, url: string, { token, service }: Owner): CheckRecord {
  const run = { type: 'http', url, method: 'GET', header: {}, body: '', skipsVerify: false } as const
  return aCheck({
    Node: NODE,
    CheckID: id,
    ServiceID: service,
    Status: 'passing',
    Agent: {
      run: { ...run, intervalMs: 100, timeoutMs: limits.CHECK_TIMEOUT_MS_MAX },
      outputBytesMax: 4_096,
      successesToPass: 1,
      failuresToFail: 1,
      process: 'one',
      owner: token,
    },
  })
}

/** Runs checks that hang and, once they hold this many places, one whose server answers 500. */
async function startBesides(places: number, ownerOf: (i: number) => Owner) {
  const silent = await startHostileServer(HOSTILE_ANSWERS['is silent'])
  const failing = createServer((_request, response) => void response.writeHead(500).end())
  await new Promise<void>((listening) => failing.listen(0, '127.0.0.1', listening))
  const hanging = Array.from({ length: HANGING }, (_, i) =>
    aRunning(`hanging-${i}`, `http://127.0.0.1:${silent.port}/`, ownerOf(i)),
  )
  const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`
  const other = aRunning('other', url, { token: 'others', service: 'web' })
  const store = new MemoryStore({ after: sleeper.after, now: Date.now })
  const put = <T extends string, R>(table: T, record: R) => ({ table, op: 'put', record, expect: 0 }) as const
  const owners = [...hanging.map((_, i) => ownerOf(i)), { service: 'web' }]
  const services = new Map<string, string>(
    owners.map(({ service, name = service }: Omit<Owner, 'token'>) => [service, name]),
  )
  services.delete('')
  await store.commit([
    put('nodes', aNode({ Node: NODE })),
    ...[...services].map(([ID, Service]) => put('services', aService({ Node: NODE, ID, Service }))),
    ...[...hanging, other].map((check) => put('checks', check)),
  ])
  const runner = new CheckRunner({
    store,
    nodeName: NODE,
    localChecks: startLocalChecks({
      now: () => performance.now(),
      sleeper,
      random: { bytes: (count: number) => new Uint8Array(count) },
      pauseMs: 10,
      store,
      nodeName: NODE,
      process: 'one',
      onError: (error) => expect.fail(String(error)),
    }),
    outgoing: new Outgoing({ allowHttp: true }),
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => {
    runner.stop()
    silent.close()
    failing.close().closeAllConnections()
  })
  runner.update(hanging)
  await expect.poll(() => silent.open.size).toBe(places)
  runner.update([...hanging, other])
  const answered = () => expect.poll(() => store.catalog().check(NODE, 'other')?.Status).toBe('critical')
  return { runner, silent, answered, other }
}

// A service gets a third of the places, a token three quarters.
test.each<[string, number, (i: number) => Owner]>([
  ['one service', 22, () => ({ token: 'attacker', service: 'bad' })],
  ['one service, by several tokens', 22, (i) => ({ token: `attacker-${i}`, service: 'bad' })],
  [
    'one service with several IDs, by several tokens',
    22,
    (i) => ({ token: `attacker-${i}`, service: `bad-${i}`, name: 'bad' }),
  ],
  ['one token, for several services', 48, (i) => ({ token: 'attacker', service: `bad-${i}` })],
  ['the node', 22, () => ({ token: 'attacker', service: '' })],
])('200 hanging checks of %s leave the check of another one on time', async (_whose, places, ownerOf) => {
  const { answered } = await startBesides(places, ownerOf)
  await answered()
})

test('checks that are deregistered while they hang leave their places at once', async () => {
  const { runner, silent, other, answered } = await startBesides(limits.CHECK_RUNS_MAX, (i) => ({
    token: `${i}`,
    service: `s-${i}`,
  }))
  runner.update([other])
  for (const socket of silent.open) socket.end()
  await expect.poll(() => silent.open.size).toBe(0)
  await answered()
})
