import { evaluateLogin } from '@latchkey/testkit/login/evaluate-login'
import { naiveLogin } from '@latchkey/testkit/login/naive-login'
import {
  CLAIM_MAPPINGS,
  LIST_CLAIM_MAPPINGS,
  randomBindingRule,
  randomClaims,
} from '@latchkey/testkit/login/random-selectors'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { aBindingRule, aMethod, aRole } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { Directory, EMPTY_DIRECTORY } from '../records/directory.ts'
import { attributesOf } from './attributes.ts'
import { type LoginEvaluation, prepareRule } from './evaluate-login.ts'
import { linksOf } from './login-plan.ts'

/** `LATCHKEY_FUZZ=1000000` compares a million. */
const PAIRS = fuzzCount(10_000)
const LOGINS_PER_SET = 10
const ROLES = ['ops', 'Web', 'web-ops', 'a'].map((Name) => aRole({ Name }))
const directory = new Directory({ ...EMPTY_DIRECTORY.content(), roles: ROLES }, 1)
const Config = { ClaimMappings: CLAIM_MAPPINGS, ListClaimMappings: LIST_CLAIM_MAPPINGS }

test(`DIF-04: ${PAIRS} pairs of claims and rules give what a naive reading of the tables gives`, {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('DIF-04'))
  const seen = new Map<string, number>()
  for (let pairs = 0; pairs < PAIRS; ) {
    const rules = Array.from({ length: 1 + random.below(5) }, () => randomBindingRule(random))
    const method = aMethod({ Config })
    const records = rules.map(({ selector, type, name }) =>
      aBindingRule({ Selector: selector, BindType: type, BindName: name }),
    )
    for (const record of records) {
      const { prepared } = prepareRule(record, attributesOf(method))
      if ('problem' in prepared) expect.fail(`${prepared.problem}: ${JSON.stringify(rules)}`)
    }
    for (let left = LOGINS_PER_SET; left > 0; left--, pairs += rules.length) {
      const claims = randomClaims(random)
      const expected = naiveLogin(
        claims,
        rules,
        ROLES.map(({ Name }) => Name),
      )
      const actual = outcomeOf(evaluateLogin(method, records, claims, { directory }))
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        expect.fail(JSON.stringify({ claims, rules, expected, actual }, null, 1))
      }
      const kind = typeof actual === 'string' ? actual : actual.length === 0 ? 'unbound' : 'bound'
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }
  }
  // Checks that each outcome is common, or the comparison would be meaningless.
  for (const kind of ['refused', 'unbound', 'bound']) {
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(PAIRS / 200)
  }
})

function outcomeOf(evaluation: LoginEvaluation): 'refused' | readonly string[] {
  if (evaluation.refusal !== undefined) return 'refused'
  const { Roles, ServiceIdentities, NodeIdentities } = linksOf(evaluation, 'dc1')
  return [
    ...Roles.map(({ ID }) => `role ${directory.role(ID)?.Name}`),
    ...ServiceIdentities.map(({ ServiceName }) => `service ${ServiceName}`),
    ...NodeIdentities.map(({ NodeName }) => `node ${NodeName}`),
  ].sort()
}
