import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { fileWriter } from '../../test/files.ts'
import { run } from '../../test/io.ts'
import { InputError } from '../errors.ts'
import type { Finding } from '../findings/finding.ts'
import { verdictOf } from '../findings/finding.ts'
import { acceptanceNotes, acceptBy, readAcceptances } from './acceptances.ts'
import { type Outcome, toAnnotations, toJunit, toSarif } from './formats.ts'

const directory = temporaryFolder('migrator-gate')

const file = fileWriter(directory)

const GHOSTS: Finding = {
  id: 'ghosts',
  severity: 'critical',
  count: 2,
  detail: 'Two <ghosts>.',
  avoid: 'Wait.',
}
const SLOW: Finding = { id: 'slow', severity: 'warning', count: 1, detail: '100 % slow', avoid: 'Hurry.' }

describe('acceptances', () => {
  const LIST = [
    { finding: 'ghosts', reason: 'They are known.', until: '2026-11-22' },
    { finding: 'absent', reason: 'x', until: '2030-01-01' },
  ]

  test.each([
    ['2026-11-22', 'go with care', ['accepted, but not found: absent']],
    [
      '2026-11-23',
      'no-go',
      ['accepted until 2026-11-22, which has passed: ghosts', 'accepted, but not found: absent'],
    ],
  ])('an acceptance holds through its last day: on %s the verdict is %s', (today, verdict, notes) => {
    const findings = acceptBy(LIST, today)([GHOSTS, SLOW])
    expect(verdictOf(findings)).toBe(verdict)
    expect(acceptanceNotes(LIST, findings)).toEqual(notes)
  })

  test('a misspelt finding is told what it was meant to be', () => {
    const list = [{ finding: 'gohsts', reason: 'They are known.', until: '2030-01-01' }]
    expect(acceptanceNotes(list, [SLOW, GHOSTS])).toEqual([
      'accepted, but not found: gohsts; did you mean ghosts?',
    ])
  })

  test.each([
    ['finding: a', 'a.yaml:1:1: write a list of accepted findings'],
    ['- a', 'a.yaml:1:3: write finding, reason, until for each finding'],
    ['- { finding: a, reason: b }', 'a.yaml:1:3: until is missing'],
    ['- { finding: a, reason: "", until: 2026-01-01 }', 'a.yaml:1:17: reason is empty'],
    [
      '- { finding: a, reason: b, until: 2026-02-30 }',
      'a.yaml:1:3: until is not a day such as 2027-01-31: 2026-02-30',
    ],
    ['- { finding: a, reason: b, until: soon }', 'a.yaml:1:3: until is not a day such as 2027-01-31: soon'],
    ['- { find: a }', 'a.yaml:1:5: unknown field find; an accepted finding has finding, reason, until'],
  ])('refused: %s', (text, message) => {
    const read = () => readAcceptances(text, 'a.yaml')
    expect(read).toThrow(InputError)
    expect(read).toThrow(expect.objectContaining({ text: message }))
  })
})

describe('formats', () => {
  const [accepted] = acceptBy(
    [{ finding: 'ghosts', reason: 'Known.', until: '2030-01-01' }],
    '2026-11-22',
  )([GHOSTS])
  const outcome: Outcome = {
    command: 'plan',
    file: 'a b,c.yaml',
    dump: 'tokens.json',
    findings: [{ ...GHOSTS, tokens: [{ line: 7, detail: 'this one' }] }, SLOW, accepted ?? SLOW],
    failOn: 'critical',
  }

  test('JUnit: failed, passed and skipped cases, escaped', () => {
    const xml = toJunit(outcome)
    expect(xml).toContain('<testsuites tests="3" failures="1" skipped="1">')
    expect(xml).toContain('name="ghosts"><failure type="critical" message="Two &lt;ghosts&gt;.">')
    expect(xml).toContain('name="slow"><system-out>warning: 100 % slow\nHurry.</system-out>')
    expect(xml).toContain('<skipped message="Accepted until 2030-01-01: Known."/>')
  })

  test('JUnit: characters that XML does not allow are replaced, and no findings are one passed case', () => {
    const bell = { ...SLOW, detail: 'a\u0007b' }
    expect(toJunit({ ...outcome, findings: [bell] })).toContain('a\uFFFDb')
    expect(toJunit({ ...outcome, findings: [] })).toContain('name="no findings"/>')
  })

  test('SARIF: level, place in the dump or the file, suppression', () => {
    const { runs } = JSON.parse(toSarif(outcome))
    expect(runs[0].tool.driver.rules).toMatchObject([{ id: 'ghosts' }, { id: 'slow' }])
    const at = (uri: string, region?: object) => [
      { physicalLocation: { artifactLocation: { uri }, ...(region && { region }) } },
    ]
    expect(runs[0].results).toMatchObject([
      { ruleId: 'ghosts', level: 'error', locations: at('tokens.json', { startLine: 7 }) },
      { ruleId: 'slow', level: 'warning', locations: at('a%20b,c.yaml') },
      { suppressions: [{ justification: 'Accepted until 2030-01-01: Known.' }] },
    ])
    expect(runs[0].results[0].suppressions).toBeUndefined()
  })

  test('annotations: escaped; only what fails is an error', () => {
    expect(toAnnotations(outcome).split('\n')).toEqual([
      '::error file=tokens.json,line=7,title=ghosts::Two <ghosts>. Wait.',
      '::warning file=a b%2Cc.yaml,title=slow::100 %25 slow Hurry.',
      '::notice file=a b%2Cc.yaml,title=ghosts::Two <ghosts>. Accepted until 2030-01-01: Known.',
      '',
    ])
    expect(toAnnotations({ ...outcome, failOn: undefined })).toContain('::warning file=tokens.json,line=7')
  })
})

describe('commands', () => {
  const rules = 'key "a" { policy = "readwrite" }'
  const tokens = [
    { ID: 'x', Name: 'a', Type: 'client', Rules: rules },
    { ID: 'y', Name: 'b', Type: 'management', Rules: '' },
  ]
  const dump = file('tokens.json', JSON.stringify(tokens))
  const until = `${new Date().getUTCFullYear() + 1}-01-01`
  const accepts = file('accept.yaml', `- { finding: rules-unreadable, reason: Known., until: ${until} }\n`)
  const log = file(
    'access.log',
    '10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "PUT /v1/acl/create HTTP/1.1" 200 1\n',
  )

  test.each([
    ['plan fails on a critical finding', ['plan', dump], 3],
    ['accepted', ['plan', dump, '--accept', accepts], 0],
    ['accepted, but another finding fails', ['plan', dump, '--accept', accepts, '--fail-on', 'info'], 3],
    ['nothing fails', ['plan', dump, '--fail-on', 'never'], 0],
    ['check-traffic fails', ['check-traffic', log, '--to', '1.11', '--format', 'sarif'], 3],
    ['unknown format', ['plan', dump, '--format', 'xml'], 2],
    ['two formats', ['plan', dump, '--json', '--format', 'sarif'], 2],
    ['no such file', ['plan', dump, '--accept', join(directory, 'none.yaml')], 2],
  ])('%s', async (_name, argv, code) => {
    expect((await run(argv)).code).toBe(code)
  })

  test('the answer shows what is accepted, in text and JSON', async () => {
    const line = `Accepted until ${until}: Known.`
    expect((await run(['plan', dump, '--accept', accepts])).stdout).toContain(line)
    const { stdout } = await run(['plan', dump, '--accept', accepts, '--json'])
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ id: 'rules-unreadable', accepted: { reason: 'Known.', until } }),
    )
  })
})
