import type { Socket } from 'node:net'
import { AclError } from '@latchkey/contract'
import type { WireReply } from '@latchkey/service'
import { expect, test } from 'vitest'
import { createAccessLog, recordAnswer } from './access-log.ts'

interface Answered {
  readonly method?: string
  readonly url?: string
  readonly address?: string
  readonly agent?: string
}

function lineOf(
  { method = 'GET', url = '/v1/nothing', address, agent }: Answered,
  reply: Partial<WireReply> = {},
): Record<string, unknown> {
  const lines: string[] = []
  createAccessLog({ write: (text) => lines.push(text) }, () => true)(
    { status: 200, headers: {}, body: '', endpoint: undefined, accessorId: undefined, ...reply },
    {
      requestId: 'id-1',
      method,
      url,
      headers: { 'user-agent': agent },
      socket: { remoteAddress: address } as Socket,
    },
    1.23456,
  )
  const line = lines.join('')
  expect(line.endsWith('}\n')).toBe(true)
  expect(line.slice(0, -1)).not.toContain('\n')
  return JSON.parse(line)
}

test('a line has the caller, the request, the answer and the duration', () => {
  const line = lineOf(
    { method: 'PUT', url: '/v1/acl/token/5a1c?token=secret', address: '::1', agent: 'curl/8' },
    {
      ...{ status: 500, endpoint: 'tokens.update', accessorId: 'a-1' },
      error: new AclError('id_in_use', 'AccessorID is already in use'),
    },
  )
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    pid: process.pid,
    id: 'id-1',
    method: 'PUT',
    path: '/v1/acl/token/:AccessorID',
    status: 500,
    ms: 1.235,
    code: 'id_in_use',
    ownStatus: 409,
    endpoint: 'tokens.update',
    accessor: 'a-1',
    address: '::1',
    agent: 'curl/8',
  })
})

test('metrics count our own status of a refusal that was sent in another dialect', () => {
  const counted: unknown[] = []
  const request = {
    requestId: 'id-1',
    method: 'PUT',
    url: '/',
    headers: {},
    socket: { remoteAddress: '' },
    since: 0,
  }
  const error = new AclError('name_in_use', 'taken')
  const reply = { status: 500, headers: {}, body: '', endpoint: undefined, accessorId: undefined, error }
  const metrics = { request: (endpoint: string, status: number) => counted.push([endpoint, status]) }
  recordAnswer(reply, request, { metrics, accessLog: undefined })
  expect(counted).toEqual([['none', 409]])
})

test('unknown fields are omitted', () => {
  expect(Object.keys(lineOf({}))).toEqual(['level', 'time', 'pid', 'id', 'method', 'path', 'status', 'ms'])
})

test('any text that a client sends is one JSON string on one line', () => {
  const nasty = 'a"b\\c\nd\u0001\u2028\ud800'
  expect(lineOf({ agent: nasty, url: `/v1/${nasty}` }, { accessorId: nasty })).toMatchObject({
    agent: nasty,
    accessor: nasty,
  })
})

test('neither the query nor a secret in a path is logged (SEC)', () => {
  const secret = 'f1d2d2f9-0000-4000-8000-000000000001'
  expect(JSON.stringify(lineOf({ url: `/v1/acl/info/${secret}?token=${secret}` }))).not.toContain(secret)
})
