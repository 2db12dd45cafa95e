/** Login and logout. Decisions: login. */
import * as z from 'zod'
import {
  AUTH_METHOD_TEXT_BYTES_MAX,
  BEARER_BYTES_MAX,
  LOGIN_META_BYTES_MAX,
  LOGIN_META_ENTRIES_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, post } from '../route.ts'
import { ignored, namespaceChosen, required, unoffered } from '../shared/fields.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { namespacedQuery, query } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'
import { tokenSchema } from '../tokens/schemas.ts'

const META = `Metadata for the description of the token: at most ${LOGIN_META_ENTRIES_MAX} entries and ${LOGIN_META_BYTES_MAX} bytes of JSON.`

const shortText = boundedText(AUTH_METHOD_TEXT_BYTES_MAX)
const authMethod = required(shortText.meta({ description: 'Name of the auth method. Not case-sensitive.' }))
/** The rules check the limits, because they know the resulting text. */
const meta = z.record(z.string(), z.string()).optional().meta({ description: META })

/** The body of login. */
const loginSchema = z
  .strictObject({
    AuthMethod: authMethod,
    BearerToken: required(
      boundedText(BEARER_BYTES_MAX, 'body_too_large').meta({
        description: 'The credential of the identity provider.',
      }),
    ),
    Meta: meta,
    Namespace: namespaceChosen,
  })
  .meta({ id: 'Login' })

/** The body that begins a login in a browser. */
const authUrlSchema = z
  .strictObject({
    AuthMethod: authMethod,
    RedirectURI: required(
      shortText.meta({ description: 'The URI to which the browser returns. The method must allow it.' }),
    ),
    ClientNonce: shortText
      .optional()
      .meta({ description: 'A secret chosen by the client, which the callback must repeat.' }),
    Meta: meta,
    Namespace: namespaceChosen,
  })
  .meta({ id: 'AuthUrlRequest' })

const authUrlAnswerSchema = z
  .strictObject({ AuthURL: z.string().meta({ description: 'The URL to open in the browser.' }) })
  .meta({ id: 'AuthUrl' })

/** The body that completes a login in a browser. */
const oidcCallbackSchema = z
  .strictObject({
    AuthMethod: authMethod,
    State: required(shortText.meta({ description: '`state` from the URL to which the browser returned.' })),
    Code: required(boundedText(BEARER_BYTES_MAX).meta({ description: '`code` from that URL.' })),
    Iss: shortText.optional().meta({ description: '`iss` from that URL, if present. An extension.' }),
    ClientNonce: shortText.optional().meta({ description: 'The same value as in the request for the URL.' }),
    Meta: unoffered(ignored),
    Namespace: namespaceChosen,
  })
  .meta({ id: 'OidcCallback' })

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
    metadata: {
      ...asks,
      holdsSecrets: true,
      errors: [...errors, 'login_unbound', 'too_many_live_tokens'],
      referenceStatuses: { 'field_required AuthMethod': 403 },
    },
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
