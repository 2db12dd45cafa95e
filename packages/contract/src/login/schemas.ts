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

const META = `Metadata for the description of the token: at most ${LOGIN_META_ENTRIES_MAX} entries and ${LOGIN_META_BYTES_MAX} bytes of JSON.`

const shortText = boundedText(AUTH_METHOD_TEXT_BYTES_MAX)
const authMethod = required(shortText.meta({ description: 'Name of the auth method. Not case-sensitive.' }))
/** The rules check the limits, because they know the resulting text. */
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

/** The body that begins a login in a browser. */
export const authUrlSchema = z
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

export const authUrlAnswerSchema = z
  .strictObject({ AuthURL: z.string().meta({ description: 'The URL to open in the browser.' }) })
  .meta({ id: 'AuthUrl' })

/** The body that completes a login in a browser. */
export const oidcCallbackSchema = z
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
