/** Writes the table of settings into README.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from '@latchkey/testkit/packaging/generated'
import { replaceConfigTable } from '../src/config/config-table.ts'

const path = join(import.meta.dirname, '../../../README.md')
generate([{ path, text: replaceConfigTable(readFileSync(path, 'utf8')) }])
