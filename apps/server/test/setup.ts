/** Runs before each file of tests. */
import { afterAll } from 'vitest'
import { endFile } from './end-of-file.ts'

afterAll(endFile)
