/** What a token may do, and which tokens may do something. Spec 5. */
import * as z from 'zod'
import { AUTHORIZE_CHECKS_MAX, QUESTION_VALUES_MAX } from '../limits.ts'
import { type ContractRoutes, c, post } from '../route.ts'
import { flag, namespacedQuery, page, text } from '../shared/query.ts'
import {
  authorizeAnswerSchema,
  authorizeRequestSchema,
  tokenReferenceSchema,
  whoCanRequestSchema,
} from './schemas.ts'

const gate = 'api.token'

export const decisions = c.router({
  authorize: post('/v1/internal/acl/authorize', z.array(authorizeAnswerSchema), {
    summary: 'Decide up to 64 checks for the presented token',
    description:
      'The answers are in the order of the checks. Without a token, the anonymous token is checked; an unknown token is refused. `accessor` selects another token of the namespace to check. A token has no rights in the namespaces of others, unless it has global-management.',
    query: namespacedQuery({
      explain: flag('Add the rule that decided each check.'),
      accessor: text(
        'Check the token with this accessor. Needs `acl:read`, unless it is the caller’s own token.',
        { format: 'uuid' },
      ),
    }),
    body: authorizeRequestSchema,
    metadata: {
      writes: 'nothing',
      right: 'none',
      asksAboutCaller: true,
      body: 'json',
      bodyRepeats: true,
      batch: { max: AUTHORIZE_CHECKS_MAX, of: 'authorizations' },
      refusedInLegacyMode: true,
      namespaced: true,
      gate,
      spec: '5',
      errors: [
        'batch_too_large',
        'field_invalid',
        'id_invalid',
        'caller_unknown',
        'privilege_missing',
        'not_found',
      ],
    },
  }),
  whoCan: post('/v1/internal/acl/who-can', z.array(tokenReferenceSchema), {
    summary: 'List the tokens that may do something',
    description: 'In the order of the token list, in pages.',
    query: namespacedQuery(page),
    body: whoCanRequestSchema,
    metadata: {
      writes: 'nothing',
      right: 'acl:read',
      body: 'json',
      bodyValuesMax: QUESTION_VALUES_MAX,
      refusedInLegacyMode: true,
      namespaced: true,
      gate,
      spec: 'extension',
      errors: ['field_invalid'],
    },
  }),
} satisfies ContractRoutes)
