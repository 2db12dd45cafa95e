/** The output of `convert` on a terminal. */
import type { Paint } from '../cli/io.ts'
import type { ConversionPlan } from '../convert/files/plan-schema.ts'
import { counted, type Finding, type Verdict } from '../findings/finding.ts'
import { findingLines, verdictLine } from './text.ts'

/** Maximum number of groups and differences to list; the files contain all. */
const GROUPS_MAX = 20
const DIFFERENCES_MAX = 5

export function formatConversion(
  plan: ConversionPlan,
  {
    verdict,
    findings,
    folder,
  }: { verdict: Verdict; findings: readonly Finding[]; folder: string | undefined },
  paint: Paint,
): string {
  const { groups, policies, roles, proof, upgrade } = plan
  const tokens = groups.reduce((sum, group) => sum + group.tokens.length, 0)
  const kept = groups.reduce((sum, group) => sum + (group.rejected ? group.tokens.length : 0), 0)
  const rest = [
    `${plan.management.length.toLocaleString('en-US')} management`,
    `${plan.cleared.length.toLocaleString('en-US')} whose rules decide nothing`,
    `${plan.withoutRules.toLocaleString('en-US')} without rules`,
    `${plan.unconvertible.length.toLocaleString('en-US')} that cannot be converted`,
    ...(kept > 0 ? [`${kept.toLocaleString('en-US')} in rejected groups`] : []),
  ]
  const lines = [
    verdictLine(verdict, paint),
    `${counted(tokens - kept, 'token')} in ${counted(groups.filter(({ rejected }) => !rejected).length, 'group')} of equal decisions get policies; ${rest.join(', ')}`,
    '',
    paint('bold', 'Proposed'),
    `  ${policies.length === 1 ? '1 policy' : `${policies.length.toLocaleString('en-US')} policies`}`,
    `  ${counted(roles.length, 'role')}`,
    ...groups.slice(0, GROUPS_MAX).map(groupLine),
    ...(groups.length > GROUPS_MAX ? [`  and ${counted(groups.length - GROUPS_MAX, 'more group')}`] : []),
    '',
    paint('bold', 'Proof'),
    `  ${counted(proof.probes, 'question')} derived from the rules of ${counted(proof.tokens, 'token')}, and ${counted(proof.random, 'random one')} near them (seed ${proof.seed}): ${proof.differenceCount === 0 ? 'no decision changes' : paint('red', counted(proof.differenceCount, 'difference'))}`,
    ...proof.differences.slice(0, DIFFERENCES_MAX).map(differenceLine),
    '',
    paint('bold', 'Upgrade from 1.10 to 1.11, simulated'),
    `  without the conversion: ${upgrade.unconverted.verdict}`,
    ...upgrade.unconverted.reasons.map((reason) => `    ${reason}`),
    `  with the conversion: ${upgrade.converted.verdict}`,
    ...upgrade.converted.reasons.map((reason) => `    ${reason}`),
    '',
    ...findingLines(findings, paint),
    '',
    writtenLine(plan, folder),
  ]
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`
}

function writtenLine(plan: ConversionPlan, folder: string | undefined): string {
  if (plan.proof.differenceCount > 0) return 'Nothing was written: a decision would change.'
  if (folder === undefined) return 'Nothing was written: give a folder with --out.'
  return `Written to ${folder}: plan.json there has the whole proposal; to change names, edit names.json and give it with --names.`
}

function groupLine({ name, tokens, policies, roles, rejected }: ConversionPlan['groups'][number]): string {
  const links = [...roles.map((role) => `role ${role}`), ...policies.map((policy) => `policy ${policy}`)]
  return `  ${name}: ${counted(tokens.length, 'token')}, ${rejected ? 'rejected' : links.join(', ')}`
}

function differenceLine({
  token,
  question: { resource, segment, access },
  defaultPolicy,
  before,
  after,
}: ConversionPlan['proof']['differences'][number]): string {
  const on = segment === undefined ? '' : ` on ${JSON.stringify(segment)}`
  const was = (allowed: boolean) => (allowed ? 'allowed' : 'denied')
  return `  ${JSON.stringify(token.name)} (ID hash ${token.idHash}, token ${token.position}, line ${token.line}): ${resource}:${access}${on}, default policy ${defaultPolicy}: ${was(before)} before, ${was(after)} after`
}
