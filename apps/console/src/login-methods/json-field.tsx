import { Field } from '../ui/form/field.tsx'

/** The JSON object in a text; `undefined` if the text is not one. */
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

/** A JSON object, checked while it is typed. */
export function JsonField({ label, value, onValue }: JsonFieldProps) {
  const isBroken = value.trim() !== '' && readJson(value) === undefined
  return (
    <Field label={label} error={isBroken ? 'This is not a JSON object.' : undefined}>
      {(control) => (
        <textarea
          className="input mono"
          rows={8}
          spellCheck={false}
          {...control}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
