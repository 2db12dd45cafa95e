import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PRODUCT_VERSION } from './product-version.ts'

test('PRODUCT_VERSION equals the version in package.json: after `changeset version`, copy it to product-version.ts', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(PRODUCT_VERSION).toBe(version)
})
