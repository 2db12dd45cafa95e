/** Path parameters. Schemas describe them; the rules check them. */
import * as z from 'zod'

export const accessorParam = z.object({
  AccessorID: z.string().meta({ description: 'Accessor of the token. Not case-sensitive.', format: 'uuid' }),
})

export const idParam = z.object({ ID: z.string().meta({ description: 'ID of the record.', format: 'uuid' }) })

export const nameParam = z.object({
  Name: z.string().meta({ description: 'Name of the record. For policies and roles, not case-sensitive.' }),
})

export const keyParam = z.object({
  Key: z
    .string()
    .meta({
      description:
        'The key: the rest of the path, including slashes. A slash at the start of the key or after another slash must be `%2F`.',
    }),
})

/** In the legacy API, the ID is the secret of the token, which may be any text. Spec 9.1. */
export const secretParam = z.object({
  ID: z.string().meta({ description: 'Secret of the token, which may be any text.' }),
})

export const methodNameParam = z.object({
  Name: z.string().meta({ description: 'Name of the auth method. Not case-sensitive.' }),
})
