/** The folder of a conversion: its policies, its plan, and the script that applies it. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GLOBAL_MANAGEMENT_POLICY_ID, GLOBAL_MANAGEMENT_POLICY_NAME } from '@latchkey/acl'
import { makeOutputDirectory, writeOutputFile } from '../../cli/output-file.ts'
import { acceptedGroups, usedBy } from '../make-conversion.ts'
import { isValidName } from '../names.ts'
import type { ReviewDecisions } from '../review-decisions.ts'
import { type ConversionPlan, type PlannedToken, planSchema } from './plan-schema.ts'

type CommandPlan = Pick<ConversionPlan, 'policies' | 'roles' | 'groups' | 'management' | 'cleared'>

/** The plan without rejected groups, and without the policies and roles that only they use. */
function acceptedPart(plan: CommandPlan): CommandPlan {
  return { ...plan, ...usedBy(plan, acceptedGroups(plan)) }
}

export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

export function commentOf(name: string): string {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  return name === '' ? 'without name' : visible(JSON.stringify(shown))
}

/** The text on one line, with the codes of its invisible characters. */
export function visible(text: string): string {
  const codeOf = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  return text.replace(/[\p{C}\p{Z}]/gu, (c) => (c === ' ' ? c : codeOf(c)))
}

const APPLY = new URL('apply.sh', import.meta.url)
const MANAGEMENT = { Policies: [{ ID: GLOBAL_MANAGEMENT_POLICY_ID, Name: GLOBAL_MANAGEMENT_POLICY_NAME }] }

/** The script, which reads the plan that stands below it: a line for each policy, role and token. */
export function applyScript(plan: CommandPlan): string {
  const { policies, roles, groups, management, cleared } = acceptedPart(plan)
  const named = (names: readonly string[]) => names.map((Name) => ({ Name }))
  const tokenLine = ({ accessor, idHash, name, rulesHash }: PlannedToken, links: object) => ({
    token: accessor ?? idHash,
    name: commentOf(name),
    rules: rulesHash,
    links,
  })
  const lines = [
    ...policies.map(({ name: Name, description: Description, rules: Rules }) => ({
      policy: { Name, Description, Rules },
    })),
    ...roles.map((role) => ({
      role: { Name: role.name, Description: role.description, Policies: named(role.policies) },
    })),
    ...groups.flatMap((group) =>
      group.tokens.map((token) =>
        tokenLine(token, {
          Policies: named(group.policies),
          Roles: named(group.roles),
          ...(group.serviceIdentities.length > 0 && { ServiceIdentities: group.serviceIdentities }),
          ...(group.nodeIdentities.length > 0 && { NodeIdentities: group.nodeIdentities }),
        }),
      ),
    ),
    ...cleared.map((token) => tokenLine(token, {})),
    ...management.map((token) => ({
      ...tokenLine(token, MANAGEMENT),
      management: true,
      index: token.modifyIndex,
    })),
  ]
  return `${readFileSync(APPLY, 'utf8')}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`
}

/** Maximum number of policies to write as files. With more, only the plan and the scripts contain them. */
const POLICY_FILES_MAX = 2_000

/** Removes the policies of an earlier run. @returns false, unwritten, if a decision would change. */
export function writeConversion(
  folder: string,
  plan: ConversionPlan,
  texts: () => { readonly names: ReviewDecisions; readonly tokens: string },
): boolean {
  if (plan.proof.differenceCount > 0) return false
  const { names, tokens } = texts()
  const accepted = acceptedPart(plan)
  const policies = join(folder, 'policies')
  const ownFiles = accepted.policies.length > POLICY_FILES_MAX ? [] : accepted.policies
  makeOutputDirectory(policies)
  const wanted = new Set(ownFiles.map(({ name }) => `${name}.hcl`))
  for (const old of earlierPolicies(folder))
    if (!wanted.has(old)) rmSync(join(policies, old), { force: true })
  for (const { name, rules } of ownFiles) writeOutputFile(join(policies, `${name}.hcl`), rules)
  const files = {
    'plan.json': `${JSON.stringify(plan)}\n`,
    'names.json': `${JSON.stringify(names, null, 2)}\n`,
    'tokens.csv': tokens,
    'apply.sh': applyScript(plan),
  }
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(folder, name), text)
  return true
}

function earlierPolicies(folder: string): readonly string[] {
  try {
    const plan = planSchema.parse(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')))
    return plan.policies.filter(({ name }) => isValidName(name)).map(({ name }) => `${name}.hcl`)
  } catch {
    return []
  }
}
