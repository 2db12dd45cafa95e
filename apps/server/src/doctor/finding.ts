/** A finding of `latchkey-server doctor`. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was checked, in a word or two. */
  readonly what: string
  readonly found: string
  /** What to do; absent if there is nothing to do. */
  readonly todo?: string
}

export function ok(what: string, found: string): Finding {
  return { level: 'ok', what, found }
}

export function warn(what: string, found: string, todo: string): Finding {
  return { level: 'warn', what, found, todo }
}

export function fail(what: string, found: string, todo: string): Finding {
  return { level: 'fail', what, found, todo }
}

/** A line per finding, and what to do below it. */
export function showFinding({ level, what, found, todo }: Finding): string {
  const line = `${level.padEnd(5)} ${what.padEnd(14)} ${found}\n`
  return todo === undefined ? line : `${line}${' '.repeat(21)}-> ${todo}\n`
}
