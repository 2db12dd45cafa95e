/// <reference types="node" />
/** Writes what is derived from the contract: the plain endpoints, pages under docs/, and parts of pages. */
import { generate } from '@latchkey/tools/build/generated'
import { generatedPages } from './pages.ts'

generate(generatedPages())
