/** Login and logout. */
import * as z from 'zod'
import {
  AUTH_METHOD_TEXT_BYTES_MAX,
  BEARER_BYTES_MAX,
  LOGIN_META_BYTES_MAX,
  LOGIN_META_ENTRIES_MAX,
} from '../limits.ts'
import { ignored, namespaceChosen, required, unoffered } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const META = `Texts that the description of the token will hold: at most ${LOGIN_META_ENTRIES_MAX}, and ${LOGIN_META_BYTES_MAX} bytes of JSON.`

const shortText = boundedText(AUTH_METHOD_TEXT_BYTES_MAX)
const authMethod = required(shortText.meta({ description: 'Name of the auth method, in any case.' }))
/** Its bounds are for the rules, which know the text that it becomes. */
const meta = z.record(z.string(), z.string()).optional().meta({ description: META })

/** The body of login. */
export const loginSchema = z
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
export type LoginRequest = z.output<typeof loginSchema>

/** The body that begins a login in a browser. */
export const authUrlSchema = z
  .strictObject({
    AuthMethod: authMethod,
    RedirectURI: required(
      shortText.meta({ description: 'Where the browser returns: one that the method allows.' }),
    ),
    ClientNonce: shortText
      .optional()
      .meta({ description: 'A secret of the client, which the callback must repeat.' }),
    Meta: meta,
    Namespace: namespaceChosen,
  })
  .meta({ id: 'AuthUrlRequest' })

export const authUrlAnswerSchema = z
  .strictObject({ AuthURL: z.string().meta({ description: 'Where to send the browser.' }) })
  .meta({ id: 'AuthUrl' })

/** The body that completes a login in a browser. */
export const oidcCallbackSchema = z
  .strictObject({
    AuthMethod: authMethod,
    State: required(shortText.meta({ description: '`state` of the URL to which the browser returned.' })),
    Code: required(boundedText(BEARER_BYTES_MAX).meta({ description: '`code` of that URL.' })),
    Iss: shortText.optional().meta({ description: '`iss` of that URL, if it has one: an extension.' }),
    ClientNonce: shortText.optional().meta({ description: 'The same value as in the request for the URL.' }),
    Meta: unoffered(ignored),
    Namespace: namespaceChosen,
  })
  .meta({ id: 'OidcCallback' })
