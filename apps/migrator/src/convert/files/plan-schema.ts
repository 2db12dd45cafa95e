/** The plan of a conversion as a document: plan.json, the output of `convert --json`. */
import * as z from 'zod'

const token = z
  .strictObject({
    name: z.string().describe('empty if it has none, or is named after its secret'),
    idHash: z.string().describe('the first twelve hexadecimal digits of the SHA-256 of its ID'),
    accessor: z.string().optional().describe('absent if neither the dump nor a token list shows it'),
    rulesHash: z.string().describe('the SHA-256 of its rules in the dump'),
    modifyIndex: z.int().describe('its ModifyIndex in the dump'),
    position: z.int().describe('place in the dump, from 0'),
    line: z.int(),
    byte: z.int(),
  })
  .describe('a token of the dump, without its ID')

const id = z.string().describe('the beginning of a hash: the same content has the same id in every run')
const names = z.array(z.string())
const outcome = z.strictObject({
  verdict: z.enum(['go', 'go with care', 'no-go']),
  reasons: z.array(z.string()),
})

const question = z.strictObject({ resource: z.string(), segment: z.string().optional(), access: z.string() })

export const planSchema = z.strictObject({
  format: z.literal(1),
  policies: z.array(
    z.strictObject({
      id,
      name: z.string(),
      description: z.string(),
      rules: z.string().describe('HCL, also in policies/NAME.hcl'),
    }),
  ),
  roles: z.array(z.strictObject({ id, name: z.string(), description: z.string(), policies: names })),
  groups: z
    .array(
      z.strictObject({
        id,
        name: z.string(),
        rejected: z.boolean().describe('by the operator: its tokens stay as they are'),
        policies: names.describe('what each token links directly'),
        roles: names.describe('what each token links'),
        serviceIdentities: z.array(z.strictObject({ ServiceName: z.string() })),
        nodeIdentities: z.array(z.strictObject({ NodeName: z.string(), Datacenter: z.string() })),
        texts: z.int().describe('how many different texts mean these rules'),
        tokens: z.array(token),
      }),
    )
    .describe('tokens whose rules decide equally'),
  management: z.array(token).describe('to be linked to global-management, unless the migration did that'),
  cleared: z.array(token).describe('their rules decide nothing: they lose the text and get no policy'),
  linked: z.array(token).describe('the token list shows that they have links: nothing is left to do'),
  waiting: z.array(token).describe('for a later stage: the list of --only does not name them'),
  withoutRules: z.int().describe('tokens for which there is nothing to do'),
  unconvertible: z.array(z.strictObject({ token, reason: z.string() })).describe('they stay as they are'),
  refused: z.int().describe('records of the dump that are not tokens or cannot be read'),
  proof: z.strictObject({
    seed: z.int(),
    tokens: z.int(),
    texts: z.int().describe('different rule texts among these tokens'),
    probes: z.int().describe('questions that the rules suggest, each under both default policies'),
    random: z.int().describe('random questions near the rules, each under both default policies'),
    leftOut: z.int().describe('decisions that identities change: rights on longer names and on agents end'),
    differenceCount: z.int().describe('other decisions that the conversion changes'),
    differences: z.array(
      z.strictObject({
        token,
        group: z.string(),
        question,
        defaultPolicy: z.enum(['allow', 'deny']),
        before: z.boolean(),
        after: z.boolean(),
      }),
    ),
  }),
  upgrade: z
    .strictObject({ unconverted: outcome, converted: outcome })
    .describe('the simulated upgrade from 1.10 to 1.11, without and with the conversion'),
})

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

export type ConversionPlan = Frozen<z.output<typeof planSchema>>
export type PlannedToken = Frozen<z.output<typeof token>>

export function renderPlanSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(planSchema), null, 2)}\n`
}
