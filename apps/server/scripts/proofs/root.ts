import { join } from 'node:path'

/** The root of the workspace. */
export const ROOT = join(import.meta.dirname, '../../../..')
