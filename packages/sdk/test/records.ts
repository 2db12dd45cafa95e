/** Records as the service answers them. */
import type { Token } from '../src/index.ts'

export const ACCESSOR_ID = '6a1253d2-1785-24fd-91c2-f8e78c745511'
export const SECRET_ID = '45a3bd52-07c7-47a4-52fd-0745e0cfe967'

/** A token that differs from a plain one in what matters to a test. */
export function aToken(fields: Partial<Token> = {}): Token {
  return {
    AccessorID: ACCESSOR_ID,
    SecretID: SECRET_ID,
    Description: '',
    Local: false,
    CreateTime: '2026-01-31T12:00:00Z',
    Hash: 'UuiRkOQPRCvoRZHRtUxxbrmwZ5crYrOdZ0Z1FTFbTbA=',
    CreateIndex: 7,
    ModifyIndex: 7,
    ...fields,
  }
}
