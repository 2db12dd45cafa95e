import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly children: (control: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': boolean
  }) => ReactNode
}

/** A control with its label, hint and error, connected for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const isDescribed = hint !== undefined || error !== undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': isDescribed ? `${id}-text` : undefined,
        'aria-invalid': error !== undefined,
      })}
      {isDescribed && (
        <div id={`${id}-text`} className={error === undefined ? 'field-hint' : 'field-error'}>
          {error ?? hint}
        </div>
      )}
    </div>
  )
}

/** Several lines of text in a fixed-width font. */
export function TextAreaField({
  label,
  error,
  value,
  onValue,
}: Pick<TextFieldProps, 'label' | 'error' | 'onValue'> & { readonly value: string }) {
  return (
    <Field label={label} error={error}>
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

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'input'>, 'onChange' | 'children'> & { readonly onValue: (value: string) => void }

export function TextField({ label, hint, error, onValue, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          className="input"
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...control}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}

type SelectFieldProps = Omit<FieldProps, 'children'> & {
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onValue: (value: string) => void
  readonly disabled?: boolean
}

export function SelectField({ label, hint, error, value, options, onValue, disabled }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select
          className="input"
          {...control}
          value={value}
          disabled={disabled}
          onChange={(event) => onValue(event.target.value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly onValue: (value: boolean) => void
}

export function CheckField({ label, hint, onValue, ...input }: CheckFieldProps) {
  const id = useId()
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          {...input}
          {...(hint === undefined ? {} : { 'aria-describedby': id })}
          onChange={(event) => onValue(event.target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <div id={id} className="field-hint check-hint">
          {hint}
        </div>
      )}
    </div>
  )
}
