import { HOSTILE_ANSWERS, startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { readConnection } from './connection.ts'
import { HttpReader, UnreadError } from './http-reader.ts'

// A silence ends after one timeout, an answer that arrives bit by bit after 120.
const { 'drips the body': dripped, ...others } = HOSTILE_ANSWERS

test.each([
  ...Object.entries(others).map(([name, answer]) => [name, answer, 0.1] as const),
  ['drips the body', dripped, 0.02] as const,
])('a read ends if the server %s', async (_name, answer, timeout) => {
  const server = await startHostileServer(answer)
  onTestFinished(() => server.close())
  const connection = await readConnection({ from: `http://127.0.0.1:${server.port}`, timeout }, {})
  const reader = new HttpReader(connection, new AbortController().signal, 1)
  await expect(reader.json('/v1/agent/self', z.unknown())).rejects.toThrow(UnreadError)
  for (const socket of server.open) socket.end()
  await expect.poll(() => server.open.size, { timeout: 60_000 }).toBe(0)
})
