import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { CLUSTER, fileWriter } from '../../../test/files.ts'
import { run } from '../../../test/io.ts'

const directory = temporaryFolder('migrator-check-traffic')
const file = fileWriter(directory)
const SCENARIO = file('cluster.yaml', CLUSTER)

test('calls that break end with 3, none with 0', async () => {
  const log = file(
    'access.log',
    '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "PUT /v1/acl/create HTTP/1.1" 200 12\n',
  )
  const { code, stdout } = await run(['check-traffic', log, '--to', '1.11'])
  expect(code).toBe(3)
  expect(stdout).toContain('instead: PUT /v1/acl/token')
  expect((await run(['check-traffic', log, '--to', '1.10'])).code).toBe(0)
})

test('a client cannot write to the terminal with its User-Agent', async () => {
  const line =
    '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "PUT /v1/acl/create HTTP/1.1" 200 12 "-" "curl\u001b[2J\u009b2J"\n'
  const { stdout } = await run(['check-traffic', file('agent.log', line), '--to', '1.11'])
  expect(stdout).toContain('1.2.3.4: 1 (curl')
  expect(stdout).not.toMatch(/[\u001b\u009b]/)
})

test('an access log that is not there is not called a dump', async () => {
  const { code, stderr } = await run(['check-traffic', join(directory, 'none.log'), '--to', '1.11'])
  expect(code).toBe(1)
  expect(stderr).toContain('none.log: cannot read: ENOENT (no such file or directory)')
})

test('a file without any call ends with 5', async () => {
  const { code, stdout } = await run(['check-traffic', SCENARIO, '--to', '1.11'])
  expect(code).toBe(5)
  expect(stdout).toContain('cannot tell whether anything breaks')
})

test('a log of which more than 1 % cannot be read is never clean', async () => {
  const line = '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "GET /v1/acl/tokens HTTP/1.1" 200 12\n'
  const log = (unread: number) => file('unread.log', `${line.repeat(99)}${'?\n'.repeat(unread)}`)
  const few = await run(['check-traffic', log(1), '--to', '1.11'])
  expect(few.stdout).toContain('1 line could not be read')
  expect([few.code, few.stdout.includes('nothing breaks')]).toEqual([0, true])
  const many = await run(['check-traffic', log(2), '--to', '1.11'])
  expect(many).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('cannot tell whether anything breaks'),
  })
  expect(many.stdout).toContain('line 100: ?')
  expect(JSON.parse((await run(['check-traffic', log(2), '--to', '1.11', '--json'])).stdout)).toMatchObject({
    outcome: 'cannot tell',
    unreadSamples: [{ line: 100 }, { line: 101 }],
  })
  expect((await run(['check-traffic', log(1), '--to', '1.11', '--log-format', 'x'])).code).toBe(2)
})

test('with --from, every change of the versions in between is listed', async () => {
  const line = '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "GET /v1/acl/tokens HTTP/1.1" 200 12\n'
  const log = file('from.log', line)
  const argv = ['check-traffic', log, '--from', '1.10.0', '--to', '1.11']
  expect((await run(argv)).stdout).toMatch(/nothing breaks\n\nWhat changes[^\n]*\n[\s\S]*\n {2}! 1\.11: /)
  const { changes } = JSON.parse((await run([...argv, '--json'])).stdout)
  expect(changes.map(({ gate }: { gate: string }) => gate)).toContain('api.legacy')
  expect((await run(['check-traffic', log, '--from', '1.11', '--to', '1.11'])).stdout).not.toContain(
    'What changes',
  )
})
