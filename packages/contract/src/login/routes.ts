/** Login and logout. Decisions: login. */
import { type ContractRoutes, c, post } from '../route.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { namespacedQuery, query } from '../shared/query.ts'
import { tokenSchema } from '../tokens/schemas.ts'
import { authUrlAnswerSchema, authUrlSchema, loginSchema, oidcCallbackSchema } from './schemas.ts'

const api = { gate: 'api.authMethod', spec: '2.1', refusedInLegacyMode: true } as const
const asks = {
  ...api,
  right: 'none',
  writes: 'own',
  body: 'json',
  bodyBytesMax: 65_536,
  ignoresToken: true,
  namespaced: true,
  namespaceInBody: true,
} as const
const oidc = { ...asks, gate: 'api.oidc', edition: 'extended' } as const

const errors = [
  'field_required',
  'field_invalid',
  'auth_method_unknown',
  'login_refused',
  'provider_unavailable',
  'too_many_logins',
] as const

export const login = c.router({
  login: post('/v1/acl/login', tokenSchema, {
    summary: 'Log in',
    description:
      'Exchanges a credential from an identity provider for a token with the links that the binding rules give. Ignores the token that the request presents.',
    query: namespacedQuery({}),
    body: loginSchema,
    metadata: { ...asks, holdsSecrets: true, errors: [...errors, 'login_unbound', 'too_many_live_tokens'] },
  }),
  logout: post('/v1/acl/logout', deletedSchema, {
    summary: 'Log out',
    description: 'Deletes the token that the request presents, which must be the token of a login.',
    query: query({}),
    metadata: { ...api, right: 'self', writes: 'token', errors: ['privilege_missing'] },
  }),
  authUrl: post('/v1/acl/oidc/auth-url', authUrlAnswerSchema, {
    summary: 'Begin a login in a browser',
    description:
      'Returns the provider’s URL to open in the browser, which is valid once, for ten minutes. Ignores the token that the request presents.',
    query: namespacedQuery({}),
    body: authUrlSchema,
    metadata: { ...oidc, holdsSecrets: true, errors: [...errors, 'endpoint_not_built'] },
  }),
  callback: post('/v1/acl/oidc/callback', tokenSchema, {
    summary: 'Complete a login in a browser',
    description:
      'Exchanges the code with which the browser returned for a token. The state can be used only once, even if the call fails. Ignores the token that the request presents.',
    query: namespacedQuery({}),
    body: oidcCallbackSchema,
    metadata: {
      ...oidc,
      holdsSecrets: true,
      errors: [...errors, 'login_unbound', 'too_many_live_tokens', 'endpoint_not_built'],
    },
  }),
} satisfies ContractRoutes)
