/** Writes a conversion into a folder: policies, plan, scripts, and the names for the operator to edit. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOutputDirectory, writeOutputFile } from '../../cli/output-file.ts'
import { isValidName } from '../names.ts'
import { decisionsOf } from '../review-decisions.ts'
import { acceptedPart, consulScript, latchkeyScript } from './commands.ts'
import { type ConversionPlan, planSchema } from './plan-schema.ts'

/** Maximum number of policies to write as files. With more, only the plan and the scripts contain them. */
const POLICY_FILES_MAX = 2_000

/**
 * Writes each file atomically. Policies of an earlier run that the new plan does not have are removed.
 * @returns false, without writing anything, if a decision would change.
 */
export function writeConversion(folder: string, plan: ConversionPlan): boolean {
  if (plan.proof.differenceCount > 0) return false
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
    'names.json': `${JSON.stringify(decisionsOf(plan), null, 2)}\n`,
    'apply-latchkey.sh': latchkeyScript(plan),
    'apply-consul.sh': consulScript(plan),
  }
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(folder, name), text)
  return true
}

/** The policy files of the existing plan; other files are never removed. */
function earlierPolicies(folder: string): readonly string[] {
  try {
    const plan = planSchema.parse(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')))
    return plan.policies.filter(({ name }) => isValidName(name)).map(({ name }) => `${name}.hcl`)
  } catch {
    return []
  }
}
