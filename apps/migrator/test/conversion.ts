/** Builds conversions for tests. */
import { readLegacyRecord } from '@latchkey/acl'
import { type Conversion, type ConversionOptions, makeConversion } from '../src/convert/make-conversion.ts'
import { TokenIntake } from '../src/convert/token-intake.ts'

export interface TokenInput {
  readonly id?: string
  readonly name?: string
  readonly type?: 'client' | 'management'
  readonly rules?: string
}

/** The conversion of these tokens, in the order of their positions. */
export function aConversion(tokens: readonly TokenInput[], options?: ConversionOptions): Conversion {
  const intake = new TokenIntake(undefined)
  const seen = new Map<string, number>()
  for (const [position, { id, name = '', type = 'client', rules = '' }] of tokens.entries()) {
    const value = { ID: id ?? `secret ${position}`, Name: name, Type: type, Rules: rules }
    const { token } = readLegacyRecord(value, { position, seen })
    if (token !== undefined) intake.add({ value, position, line: position + 1, byte: 0 }, token)
  }
  return makeConversion(intake, options)
}
