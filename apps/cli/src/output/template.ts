/** `--template`: a text with fields of a record, such as `{{AccessorID}} {{Policies.0.Name}}`. */

/** Fills in the fields. Absent fields are empty, lists of texts are joined by commas, and objects are JSON. */
export function fillTemplate(template: string, record: unknown): string {
  return template
    .replaceAll('\\t', '\t')
    .replaceAll('\\n', '\n')
    .replace(/\{\{\s*\.?([\w.-]*)\s*\}\}/g, (_, path: string) => textOf(fieldAt(record, path)))
}

function fieldAt(record: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      record,
    )
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
