/** Path parameters. What they may hold is for the rules to say; a schema describes them. */
import * as z from 'zod'

export const accessorParam = z.object({
  AccessorID: z.string().meta({ description: 'Accessor of the token. Without case.', format: 'uuid' }),
})

export const idParam = z.object({
  ID: z.string().meta({ description: 'ID of the record.', format: 'uuid' }),
})

export const nameParam = z.object({
  Name: z.string().meta({ description: 'Name of the record. Without case for policies and roles.' }),
})

export const keyParam = z.object({
  Key: z.string().meta({ description: 'The key: all of the path that follows, slashes included.' }),
})

/** In the legacy API the ID is the secret of the token, and any text. Spec 9.1. */
export const secretParam = z.object({
  ID: z.string().meta({ description: 'Secret of the token: any text.' }),
})
