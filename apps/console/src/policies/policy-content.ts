import type { Client, Policy } from '@latchkey/sdk'

/** The fields of a policy that a form edits. */
export interface PolicyContent {
  readonly name: string
  readonly description: string
  readonly rules: string
}

export function contentOf({ Name, Description, Rules }: Policy): PolicyContent {
  return { name: Name, description: Description, rules: Rules }
}

export function isSameContent(a: PolicyContent, b: PolicyContent): boolean {
  return a.name === b.name && a.description === b.description && a.rules === b.rules
}

export function createPolicy(
  { policies }: Client,
  { name, description, rules }: PolicyContent,
): Promise<Policy> {
  return policies.create({ Name: name.trim(), Description: description.trim(), Rules: rules })
}
