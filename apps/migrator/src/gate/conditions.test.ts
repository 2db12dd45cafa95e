import { parseServiceVersion } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import type { TokenCounts } from '../plan/token-census.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import type { SeenServer } from '../watch/observe.ts'
import { conditionsOf, type GateFacts, holds } from './conditions.ts'

const server = (name: string, more: Partial<SeenServer> = {}): SeenServer => ({
  name,
  version: '1.8.7',
  mode: 'legacy',
  status: 'alive',
  ...more,
})
const OLD = { version: '1.3.1', mode: 'old' } as const

const TOKENS: TokenCounts = {
  ...{ total: 10, client: 10, management: 0, anonymous: false, withRules: 5, refused: 0 },
  ...{ withAccessor: 0, withLegacyRights: 0, unlinkedManagement: 0 },
}

const READY: GateFacts = {
  servers: [server('s1'), server('s2'), server('s3', OLD)],
  to: parseServiceVersion('1.8.7'),
  next: ['s3'],
  model: serviceModel,
  tokens: TOKENS,
  tokenFindings: [],
  backup: 'alice, 21:10',
}

function broken(facts: Partial<GateFacts>): string[] {
  return conditionsOf({ ...READY, ...facts })
    .filter((each) => !holds(each, 'warning'))
    .flatMap(({ findings }) => findings.map(({ id }) => id))
}

describe('before the point of no return', () => {
  test('every condition holds with one old server left, which is next', () => {
    expect(broken({})).toEqual([])
  })

  test.each<[string, Partial<GateFacts>, string[]]>([
    ['an old server that is not next', { next: [] }, ['servers-not-upgraded']],
    ['a new server of an earlier version', { to: parseServiceVersion('1.9.0') }, ['servers-not-upgraded']],
    ['a name of --next that no server has', { next: ['s3', 's4'] }, ['servers-missing']],
    ['no backup', { backup: undefined }, ['backup-unconfirmed']],
    ['servers that the service does not show', { servers: undefined }, ['servers-unknown']],
    [
      'a server with ACLs off',
      { servers: [server('s1', { mode: 'off' }), server('s3', OLD)] },
      ['member-counted'],
    ],
    [
      'a server in new mode',
      { servers: [server('s1', { mode: 'new' }), server('s3', OLD)] },
      ['no-return-passed'],
    ],
    [
      'tokens that break',
      { tokenFindings: [{ id: 'rules-unreadable', severity: 'critical', count: 1, detail: '', avoid: '' }] },
      ['rules-unreadable'],
    ],
  ])('%s is found', (_, facts, ids) => {
    expect(broken(facts)).toEqual(ids)
  })

  test('the way back is not called open once a server is in new mode', () => {
    const wayBack = (mode: SeenServer['mode']) =>
      conditionsOf({ ...READY, servers: [server('s1', { mode }), server('s3', OLD)] }).find(
        ({ name }) => name === 'the way back',
      )?.detail
    expect(wayBack('legacy')).toBe('open, no server is in new mode')
    expect(wayBack('new')).toBe('snapshot only, 1 server in new mode')
  })

  test('a dead old server is found where its version counts it (spec 9.2.2)', () => {
    const servers = [server('s1'), server('s2', { ...OLD, status: 'left' })]
    const to = (text: string) => {
      const alive = [{ ...servers[0], version: text } as SeenServer, ...servers.slice(1)]
      return broken({ servers: alive, next: [], to: parseServiceVersion(text) })
    }
    expect(to('1.5.3')).toEqual(['member-counted'])
    expect(to('1.6.0')).toEqual([])
  })

  test('1.11 needs every accessor, and a policy for every token (spec 9.1)', () => {
    const servers = [server('s1', { version: '1.11', mode: 'new' })]
    const facts = { servers, next: [], to: parseServiceVersion('1.11') }
    const tokens = { ...TOKENS, total: 1, withRules: 0, withAccessor: 9, withLegacyRights: 2 }
    expect(broken({ ...facts, tokens })).toEqual(['tokens-without-accessor', 'legacy-rights-end-at-1.11'])
    const unlinked = { ...TOKENS, total: 0, withRules: 0, withLegacyRights: 2, unlinkedManagement: 2 }
    expect(broken({ ...facts, tokens: unlinked })).toEqual(['management-unlinked'])
    // Below 1.11 they still work, so the gate only warns.
    const below = { ...facts, tokens: unlinked, to: parseServiceVersion('1.10.12') }
    const { findings } =
      conditionsOf({ ...READY, ...below }).find(({ name }) => name === 'no token breaks') ?? {}
    expect(findings).toMatchObject([{ id: 'management-unlinked', severity: 'warning', count: 2 }])
  })
})
