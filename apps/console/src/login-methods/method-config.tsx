/** The configuration of a login method, whose secrets the page never shows. */

import type { AuthMethod } from '@latchkey/sdk'
import { TextAreaField } from '../ui/form/field.tsx'

const HIDDEN = '<hidden>'

/** The field with the secret of each type that has one. The server shows it to `acl:write` callers. */
const SECRET_FIELDS = { oidc: 'OIDCClientSecret', kubernetes: 'ServiceAccountJWT' } as const

type SecretField = (typeof SECRET_FIELDS)[keyof typeof SECRET_FIELDS]

export function secretFieldOf(type: string): SecretField | undefined {
  return (SECRET_FIELDS as Readonly<Record<string, SecretField>>)[type]
}

export function isSecretField(field: string): boolean {
  return (Object.values(SECRET_FIELDS) as readonly string[]).includes(field)
}

/** The method with the text that callers without `acl:write` see in place of its secrets. */
export function concealed(method: AuthMethod): AuthMethod {
  const hidden = Object.keys(method.Config).filter(isSecretField)
  return {
    ...method,
    Config: { ...method.Config, ...Object.fromEntries(hidden.map((field) => [field, HIDDEN])) },
  }
}

export function withoutSecrets(config: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(config).filter(([field, value]) => value !== undefined && !isSecretField(field)),
  )
}

export function shownValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.join(', ')
  return JSON.stringify(value)
}

export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

interface JsonFieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

export function JsonField({ label, value, onValue }: JsonFieldProps) {
  const isBroken = value.trim() !== '' && readJson(value) === undefined
  return (
    <TextAreaField
      label={label}
      error={isBroken ? 'This is not a JSON object.' : undefined}
      value={value}
      onValue={onValue}
    />
  )
}
