/** Writes a conversion into a folder: policies, plan, scripts, and the page for the review. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOutputDirectory, writeOutputFile } from '../../cli/output-file.ts'
import { isValidName } from '../names.ts'
import { hasReview, renderReview } from '../page/review-page.ts'
import { acceptedPart, consulScript, latchkeyScript, SCRIPT_PARTS } from './commands.ts'
import { type ConversionPlan, planSchema } from './plan-schema.ts'

/** Maximum number of policies to write as files. With more, only the plan and the scripts contain them. */
const POLICY_FILES_MAX = 2_000

/**
 * Writes each file atomically. Policies and a page of an earlier run that the new plan does not have are removed.
 *
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
  const files: Record<string, () => string> = {
    'plan.json': () => `${JSON.stringify(plan)}\n`,
    'apply-latchkey.sh': () => latchkeyScript(plan, SCRIPT_PARTS),
    'apply-consul.sh': () => consulScript(plan, SCRIPT_PARTS),
    ...(hasReview(plan) ? { 'review.html': () => renderReview(plan) } : {}),
  }
  if (!hasReview(plan)) rmSync(join(folder, 'review.html'), { force: true })
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(folder, name), text())
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
