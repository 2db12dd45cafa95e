/** What `convert` tells people. */
import type { ConversionPlan } from '../convert/files/plan-schema.ts'
import { linkText } from '../convert/files/token-table.ts'
import { hasIdentity } from '../convert/identities.ts'
import { counted, type Finding, verdictOf } from '../findings/finding.ts'
import { type Document, findingSection, verdictMark } from './document.ts'

const GROUPS_MAX = 20
const DIFFERENCES_MAX = 5

export function conversionDocument(
  plan: ConversionPlan,
  findings: readonly Finding[],
  folder: string | undefined,
): Document {
  const { groups, policies, roles, proof, upgrade } = plan
  const number = (count: number) => count.toLocaleString('en-US')
  const accepted = groups.filter(({ rejected }) => !rejected)
  const tokensOf = (list: ConversionPlan['groups']) =>
    list.reduce((sum, { tokens }) => sum + tokens.length, 0)
  const left = tokensOf(groups) - tokensOf(accepted)
  const rest = [
    `${number(plan.management.length)} management`,
    `${number(plan.cleared.length)} whose rules decide nothing`,
    `${number(plan.withoutRules)} without rules`,
    `${number(plan.unconvertible.length)} that cannot be converted`,
    ...(plan.linked.length > 0 ? [`${number(plan.linked.length)} with links already`] : []),
    ...(plan.waiting.length > 0 ? [`${number(plan.waiting.length)} that wait for a later stage`] : []),
    ...(left > 0 ? [`${number(left)} in rejected groups`] : []),
  ]
  const withIdentity = accepted.filter(hasIdentity).length
  const more = groups.length - GROUPS_MAX
  const outcome =
    proof.differenceCount === 0 ? 'no decision changes' : counted(proof.differenceCount, 'difference')
  return {
    title: 'Conversion',
    verdict: verdictMark(verdictOf(findings)),
    lead: [
      `${counted(tokensOf(accepted), 'token')} in ${counted(accepted.length, 'group')} of equal decisions get ${withIdentity > 0 ? 'policies or identities' : 'policies'}; ${rest.join(', ')}`,
    ],
    sections: [
      {
        title: 'Proposed',
        items: [
          policies.length === 1 ? '1 policy' : `${number(policies.length)} policies`,
          counted(roles.length, 'role'),
          ...(withIdentity > 0 ? [`identities for ${counted(withIdentity, 'group')}`] : []),
          ...groups.slice(0, GROUPS_MAX).map(groupLine),
          ...(more > 0 ? [`and ${counted(more, 'more group')}`] : []),
        ],
      },
      {
        title: 'Proof',
        items: [
          `${counted(proof.probes, 'question')} derived from the rules of ${counted(proof.tokens, 'token')}, and ${counted(proof.random, 'random one')} near them (seed ${proof.seed}): ${outcome}${proof.leftOut > 0 ? `, but for ${counted(proof.leftOut, 'decision')} that identities leave out` : ''}`,
          ...proof.differences.slice(0, DIFFERENCES_MAX).map(differenceLine),
        ],
      },
      {
        title: 'Upgrade from 1.10 to 1.11, simulated',
        items: (['without', 'with'] as const).map((how) => {
          const { verdict, reasons } = how === 'with' ? upgrade.converted : upgrade.unconverted
          return { text: `${how} the conversion: ${verdict}`, more: reasons }
        }),
      },
      findingSection(findings),
    ],
    foot: writtenLine(plan, folder),
  }
}

function writtenLine(plan: ConversionPlan, folder: string | undefined): string {
  if (plan.proof.differenceCount > 0) return 'Nothing was written: a decision would change.'
  if (folder === undefined) return 'Nothing was written: give a folder with --out.'
  return `Written to ${folder}: plan.json there has the whole proposal; to change names, edit names.json and give it with --names; tokens.csv has every token.`
}

function groupLine(group: ConversionPlan['groups'][number]): string {
  return `${group.name}: ${counted(group.tokens.length, 'token')}, ${group.rejected ? 'rejected' : linkText(group)}`
}

function differenceLine(difference: ConversionPlan['proof']['differences'][number]): string {
  const { token, question, defaultPolicy, before, after } = difference
  const { resource, segment, access } = question
  const on = segment === undefined ? '' : ` on ${JSON.stringify(segment)}`
  const was = (allowed: boolean) => (allowed ? 'allowed' : 'denied')
  return `${JSON.stringify(token.name)} (ID hash ${token.idHash}, token ${token.position}, line ${token.line}): ${resource}:${access}${on}, default policy ${defaultPolicy}: ${was(before)} before, ${was(after)} after`
}
