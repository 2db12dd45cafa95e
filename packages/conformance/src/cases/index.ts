/** All cases, in the order of the spec. */
import type { Case } from '../case.ts'
import { authenticationCases } from './authentication.ts'
import { blockingCases } from './blocking.ts'
import { cloneDeleteCases } from './clone-delete.ts'
import { createCases } from './create.ts'
import { decodingCases } from './decoding.ts'
import { expirationCases } from './expiration.ts'
import { keyValueCases } from './key-values.ts'
import { linkCases } from './links.ts'
import { listCases } from './list.ts'
import { methodCases } from './methods.ts'
import { namespaceCases } from './namespaces.ts'
import { operationCases } from './operations.ts'
import { policyRoleCases } from './policies-roles.ts'
import { readCases } from './read.ts'
import { recordCases } from './records.ts'
import { updateCases } from './update.ts'
import { versionCases } from './versions.ts'

export const CASES: readonly Case[] = [
  ...createCases,
  ...expirationCases,
  ...linkCases,
  ...readCases,
  ...updateCases,
  ...cloneDeleteCases,
  ...listCases,
  ...namespaceCases,
  ...authenticationCases,
  ...blockingCases,
  ...decodingCases,
  ...recordCases,
  ...policyRoleCases,
  ...keyValueCases,
  ...methodCases,
  ...operationCases,
  ...versionCases,
]
