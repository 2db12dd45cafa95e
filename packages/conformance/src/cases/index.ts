/** All cases, in the order of the spec. */
import type { Case } from '../case.ts'
import { areaCases } from './areas.ts'
import { catalogCases } from './catalog.ts'
import { configEntryCases } from './config-entries.ts'
import { coordinateCases } from './coordinates.ts'
import { healthCases } from './health.ts'
import { hiddenRecordCases } from './hidden-records.ts'
import { authenticationCases } from './http/authentication.ts'
import { blockingCases } from './http/blocking.ts'
import { decodingCases } from './http/decoding.ts'
import { methodCases } from './http/methods.ts'
import { readHeaderCases } from './http/read-headers.ts'
import { versionCases } from './http/versions.ts'
import { intentionCases } from './intentions.ts'
import { keyValueCases } from './key-values.ts'
import { authMethodCases } from './login/auth-methods.ts'
import { bindingRuleCases } from './login/binding-rules.ts'
import { limitCases } from './login/limits.ts'
import { loginCases } from './login/login.ts'
import { oidcCases } from './login/oidc.ts'
import { namespaceCases } from './namespaces.ts'
import { operationCases } from './operations.ts'
import { policyRoleCases } from './policies-roles.ts'
import { sessionCases } from './sessions.ts'
import { cloneDeleteCases } from './tokens/clone-delete.ts'
import { createCases } from './tokens/create.ts'
import { expirationCases } from './tokens/expiration.ts'
import { linkCases } from './tokens/links.ts'
import { listCases } from './tokens/list.ts'
import { readCases } from './tokens/read.ts'
import { recordCases } from './tokens/records.ts'
import { updateCases } from './tokens/update.ts'
import { transactionCases } from './transactions.ts'

export const CASES: readonly Case[] = [
  ...[createCases, expirationCases, linkCases, readCases, updateCases, cloneDeleteCases, listCases],
  ...[namespaceCases, authenticationCases, blockingCases, decodingCases, recordCases],
  ...[policyRoleCases, authMethodCases, bindingRuleCases, loginCases, limitCases, oidcCases],
  ...[keyValueCases, transactionCases, intentionCases, configEntryCases, coordinateCases, areaCases],
  ...[sessionCases, catalogCases, readHeaderCases, healthCases, hiddenRecordCases, methodCases],
  ...[operationCases, versionCases],
].flat()
