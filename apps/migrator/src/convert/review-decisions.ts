/** The operator's decisions about a proposal, in names.json: names, and groups to leave unconverted. */
import * as z from 'zod'
import { EXIT, InputError } from '../errors.ts'
import type { ConversionPlan } from './files/plan-schema.ts'
import { isValidName } from './names.ts'

const name = z
  .string()
  .refine(isValidName, 'letters, digits, - and _, at most 128, and not global-management')

const decisionsSchema = z.strictObject({
  format: z.literal(1),
  /** Names by the id of the policy or role. */
  policies: z.record(z.string(), name).default({}),
  roles: z.record(z.string(), name).default({}),
  /** Ids of groups. */
  rejected: z.array(z.string()).default([]),
})

export type ReviewDecisions = z.output<typeof decisionsSchema>

export const NO_DECISIONS: ReviewDecisions = { format: 1, policies: {}, roles: {}, rejected: [] }

export function decisionsOf({
  policies,
  roles,
  groups,
}: Pick<ConversionPlan, 'policies' | 'roles'> & {
  readonly groups: readonly Pick<ConversionPlan['groups'][number], 'id' | 'rejected'>[]
}): ReviewDecisions {
  const namesOf = (list: readonly { readonly id: string; readonly name: string }[]) =>
    Object.fromEntries(list.map((each) => [each.id, each.name]))
  const rejected = groups.filter((group) => group.rejected).map(({ id }) => id)
  return { format: 1, policies: namesOf(policies), roles: namesOf(roles), rejected }
}

export function readDecisions(text: string, file: string): ReviewDecisions {
  const fail = (message: string) => new InputError(message, { place: { file }, exitCode: EXIT.usage })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw fail('not a JSON document; edit the names.json that convert --out writes')
  }
  const parsed = decisionsSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw fail(`${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'invalid'}`)
}
